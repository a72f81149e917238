-- iterations_flags_misplaced: iterations whose flags do not fit their level.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations} [DETAILED_ONLY, COARSE_ONLY]
-- problem {n} iteration(s) with flags at a level that is never tabulated, or without them at another level
-- fix     write True or False; Null at a level that is never tabulated, such as level 0 of the census
-- params  $untabulated_levels  varchar[]  the levels without flags: 0 in the 2020 Census, else none
-- source  tabulation.md section 8
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_level,
    iteration_rows.flags
from iteration_rows
where
    list_count(map_values(iteration_rows.flags))
    <> case
        when list_contains($untabulated_levels, iteration_rows.iteration_level) then 0
        else len(map_values(iteration_rows.flags))
    end
