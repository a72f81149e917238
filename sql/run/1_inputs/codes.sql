-- codes: the detailed race and ethnicity codes.
--
-- zone    public
-- reads   $codes_list  Parquet of race-and-ethnicity-codes
-- writes  one row per row of the code list
--           code       varchar  race or ethnicity code, 4 digits
--           code_name  varchar  what the code stands for
-- params  $codes_list  varchar[]  path of the list
--         {{ codes_columns }}  the expression that reads each column by its stored type
-- source  tabulation.md section 2.3
select
    {{ codes_columns.RACE_ETH_CODE }} as code,
    {{ codes_columns.RACE_ETH_NAME }} as code_name
from read_parquet($codes_list)
