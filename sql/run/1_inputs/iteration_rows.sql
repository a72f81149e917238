-- iteration_rows: the rows of both lists of characteristic iterations.
--
-- zone    public
-- reads   $race_iterations       Parquet of race-characteristic-iterations
--         $ethnicity_iterations  Parquet of ethnicity-characteristic-iterations
-- writes  one row per row of either iteration list
--           iteration_code    varchar  characteristic iteration, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   integer  0 major, 1 regional, 2 detailed
--           iteration_kind    varchar  alone, combination (alone or in any combination) or ethnicity
--           flags             map(varchar, boolean)  DETAILED_ONLY: tabulated at nation- and state-like regions only,
--                             total only; COARSE_ONLY: tabulated at sub-state regions only; or flags of your own, which
--                             region types name. NULL at level 0
-- params  $race_iterations       varchar[]  path of the list
--         $ethnicity_iterations  varchar[]  path of the list
--         {{ race_columns }}       the expression that reads each column by its stored type
--         {{ ethnicity_columns }}  the same for the ethnicity list
-- source  tabulation.md section 2.3
select
    {{ race_columns.ITERATION_CODE }} as iteration_code,
    {{ race_columns.ITERATION_NAME }} as iteration_name,
    {{ race_columns.LEVEL }} as iteration_level,
    case {{ race_columns.ALONE }} when true then 'alone' when false then 'combination' end as iteration_kind,
    {{ race_columns.FLAGS }} as flags
from read_parquet($race_iterations)
union all
select
    {{ ethnicity_columns.ITERATION_CODE }} as iteration_code,
    {{ ethnicity_columns.ITERATION_NAME }} as iteration_name,
    {{ ethnicity_columns.LEVEL }} as iteration_level,
    'ethnicity' as iteration_kind,
    {{ ethnicity_columns.FLAGS }} as flags
from read_parquet($ethnicity_iterations)
