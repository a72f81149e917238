-- iterations_level_unknown: iterations without a level, or of the 2020 Census with a level that is not 0, 1 or 2.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations} [LEVEL]
-- problem {n} iteration(s) with a level other than {levels}
-- fix     give the level of each iteration, without a hyphen; of the 2020 Census: 0 major, 1 regional, 2 detailed
-- params  $level_pattern  varchar  what a level may look like
-- source  tabulation.md section 8
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_level
from iteration_rows
where not coalesce(regexp_full_match(iteration_rows.iteration_level, $level_pattern), false)
