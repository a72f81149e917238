-- codes: the detailed race and ethnicity codes.
--
-- zone    public
-- reads   $codes_list  Parquet of race-and-ethnicity-codes
-- writes  one row per row of the code list
--           code       varchar  a code of a question; in the 2020 Census 4 digits
--           code_name  varchar  what the code stands for
-- params  $codes_list  varchar[]  path of the list
--         {{ codes_columns }}  the expression that reads each column by its stored type
-- source  tabulation.md section 2.3
select
    {{ codes_columns.CODE }} as code,
    {{ codes_columns.NAME }} as code_name
from read_parquet($codes_list)
