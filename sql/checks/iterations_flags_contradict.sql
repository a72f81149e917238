-- iterations_flags_contradict: iterations that would be tabulated nowhere.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations}
-- problem {n} iteration(s) that no region type tabulates, because all their flags are True
-- fix     set one of the flags (DETAILED_ONLY, COARSE_ONLY, or your own) to False
-- params  $withouts  varchar[]  the flags without which region types are tabulated; one is empty if some tabulate all
-- source  tabulation.md section 8
with excluding_flags as (
    -- one row per flag of a region type
    select unnest($withouts) as flag
)

select iteration_rows.iteration_code
from iteration_rows
cross join excluding_flags
group by iteration_rows.iteration_code
having bool_and(coalesce(iteration_rows.flags[excluding_flags.flag], false))
