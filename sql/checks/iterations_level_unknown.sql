-- iterations_level_unknown: iterations whose level is not 0, 1 or 2.
--
-- zone    public
-- reads   iteration_rows  one row per row of either iteration list
-- where   {race_iterations}, {ethnicity_iterations} [LEVEL]
-- problem {n} iteration(s) with a level other than 0, 1 and 2
-- fix     give the level of each iteration: 0 major, 1 regional, 2 detailed
-- source  tabulation.md section 8
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_level
from iteration_rows
where iteration_rows.iteration_level is null or iteration_rows.iteration_level not in (0, 1, 2)
