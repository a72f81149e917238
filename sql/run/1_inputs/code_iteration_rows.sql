-- code_iteration_rows: which detailed codes belong to which characteristic iterations.
--
-- zone    public
-- reads   $code_iterations  Parquet of race-and-ethnicity-code-to-iteration
-- writes  one row per row of the code-to-iteration list
--           iteration_code  varchar  characteristic iteration, 4 digits
--           code            varchar  race or ethnicity code, 4 digits
-- params  $code_iterations  varchar[]  path of the list
--         {{ code_iterations_columns }}  the expression that reads each column by its stored type
-- source  tabulation.md section 2.3
select
    {{ code_iterations_columns.ITERATION_CODE }} as iteration_code,
    {{ code_iterations_columns.CODE }} as code
from read_parquet($code_iterations)
