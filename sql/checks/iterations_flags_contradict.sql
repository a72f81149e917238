-- iterations_flags_contradict: iterations that would be tabulated nowhere.
--
-- zone    public
-- reads   iteration_rows  one row per row of either iteration list
-- where   {race_iterations}, {ethnicity_iterations} [DETAILED_ONLY, COARSE_ONLY]
-- problem {n} iteration(s) with both flags True
-- fix     set one of the two to False: both together tabulate the iteration nowhere
-- source  tabulation.md section 8
select iteration_rows.iteration_code
from iteration_rows
where iteration_rows.is_detailed_only and iteration_rows.is_coarse_only
