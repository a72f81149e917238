-- iterations_alone_missing: race iterations that are neither alone nor in combination.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations} [ALONE]
-- problem {n} iteration(s) with neither True nor False
-- fix     say True for alone, False for alone or in any combination
-- source  tabulation.md section 2.3
select iteration_rows.iteration_code
from iteration_rows
where iteration_rows.iteration_kind is null
