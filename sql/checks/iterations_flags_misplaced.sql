-- iterations_flags_misplaced: iterations whose flags do not fit their level.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations} [DETAILED_ONLY, COARSE_ONLY]
-- problem {n} iteration(s) with flags at level 0 of the census, or without them at another level
-- fix     write True or False; in lists of the census, Null at level 0
-- params  $major_level  varchar  the level without flags: 0 in the 2020 Census, else none
-- source  tabulation.md section 8
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_level,
    iteration_rows.flags
from iteration_rows
where
    list_count(map_values(iteration_rows.flags))
    <> case when iteration_rows.iteration_level = $major_level then 0 else len(map_values(iteration_rows.flags)) end
