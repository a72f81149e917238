-- mapping_iteration_unknown: iteration codes in the mapping that are in neither iteration list.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         iteration_rows       one row per row of a list of iterations
-- where   {code_iterations} [ITERATION_CODE]
-- problem {n} row(s) whose iteration is in neither iteration list
-- fix     add the iteration to its list, or correct the row
-- source  tabulation.md section 8
select
    code_iteration_rows.iteration_code,
    code_iteration_rows.code
from code_iteration_rows
anti join iteration_rows on code_iteration_rows.iteration_code = iteration_rows.iteration_code
