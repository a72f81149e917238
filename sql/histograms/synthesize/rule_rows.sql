-- rule_rows: the exact rows from which the random rules are made.
--
-- zone    confidential
-- reads   $table_files  Parquet files, the exact rows
-- writes  one row per row that was chosen
--           file       varchar  file that holds the row
--           place      bigint   its number in that file, from 0
--           {{ rule_columns }}  integer  each field, NULL where it is no number
-- params  $table_files      varchar[]  paths of the exact files
--         $chosen_files     varchar[]  file of each row that was chosen
--         $chosen_places    bigint[]   its number in that file, from 0
--         {{ rule_columns }}  name here, and the expression that reads it, of each field
-- source  histograms.md section 5.1
with chosen_rows as (
    select
        unnest(cast($chosen_files as varchar[])) as chosen_file,
        unnest(cast($chosen_places as bigint[])) as chosen_place
)

select
    exact_rows.file,
    exact_rows.file_row_number as place
    {%- for column in rule_columns %},
    {{ column.exact }} as {{ column.name }}
    {%- endfor %}
from read_parquet($table_files, filename = 'file', file_row_number = true, union_by_name = true) as exact_rows
inner join chosen_rows
    on
        exact_rows.file = chosen_rows.chosen_file
        and exact_rows.file_row_number = chosen_rows.chosen_place
