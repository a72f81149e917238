-- iterations_flags_misplaced: iterations whose flags do not fit their level.
--
-- zone    public
-- reads   iteration_rows  one row per row of either iteration list
-- where   {race_iterations}, {ethnicity_iterations} [DETAILED_ONLY, COARSE_ONLY]
-- problem {n} iteration(s) with flags at level 0, or without them at level 1 or 2
-- fix     write Null at level 0, and True or False at levels 1 and 2
-- source  tabulation.md section 8
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_level,
    iteration_rows.flags
from iteration_rows
where
    list_count(map_values(iteration_rows.flags))
    <> case when iteration_rows.iteration_level = 0 then 0 else len(map_values(iteration_rows.flags)) end
