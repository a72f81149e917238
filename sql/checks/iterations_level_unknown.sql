-- iterations_level_unknown: iterations without a level, or with one that the parameters do not list.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations} [LEVEL]
-- problem {n} iteration(s) with a level other than {levels}
-- fix     give the level of each iteration, without a hyphen; of the 2020 Census: 0 major, 1 regional, 2 detailed
-- params  $known_levels  varchar[]  every level of the lists; none if they may have any
-- source  tabulation.md section 8
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_level
from iteration_rows
where
    not coalesce(regexp_full_match(iteration_rows.iteration_level, '[^-]+'), false)
    or (len($known_levels) > 0 and not list_contains($known_levels, iteration_rows.iteration_level))
