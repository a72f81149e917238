-- mapping_code_unknown: codes in the mapping that the code list lacks.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         codes                one row per row of the code list, and value of a question
-- where   {code_iterations} [{code_column}]
-- problem {n} row(s) whose code is not in {codes_list}
-- fix     add the code to the list, or correct the row
-- source  tabulation.md section 8
select
    code_iteration_rows.iteration_code,
    code_iteration_rows.code
from code_iteration_rows
anti join codes on code_iteration_rows.code = codes.code
