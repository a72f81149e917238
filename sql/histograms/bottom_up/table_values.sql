-- table_values: the columns of a table that a histogram is made of, as text, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $table_files  Parquet files, one row per record
-- writes  one row per record
--           value_1       varchar  the first column of the domains
--           value_2       varchar  the second column; and so on for each further column
--           given_weight  bigint   its weight before it is clamped; NULL where it is no whole number
--           record_id     varchar  from the column of ids that the custodian named; NULL without one
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
--           record_file   varchar  file that holds the record
--           record_row    bigint   its row number in that file, from 1
-- params  $table_files  varchar[]  paths of the files
--         {{ value_columns }}  of each column: its name, and the expression that reads it from its stored type
--         {{ given_weight }}   the expression of the weight column, or 1
--         {{ record_id }}      the expression of the column of ids, or null
--         {{ record_keys }}    expressions of the columns that tell persons, and the order of the records of each
-- source  histograms.md section 1
-- why     A view, so that each statement scans only the columns it needs. The files are united by name, so that the
--         type of a column can hold the values of all files; its type in the first file may be narrower, or null.
select
    {%- for column in value_columns %}
    {{ column.expression }} as {{ column.name }},
    {%- endfor %}
    cast({{ given_weight }} as bigint) as given_weight,
    cast({{ record_id }} as varchar) as record_id,
    {%- for column in record_keys %}
    {{ record_keys[column] }} as {{ column | quoted }},
    {%- endfor %}
    record_file,
    file_row_number + 1 as record_row
from read_parquet(
    $table_files, filename = 'record_file', file_row_number = true, union_by_name = true, hive_types_autocast = false
)
