-- table_values: the columns of a table that a histogram is made of, as text, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $table_files  Parquet files, one row per record
-- writes  one row per record
--           value_1       varchar  the first column of the domains
--           value_2       varchar  the second; likewise for each further one
--           given_weight  bigint   what the record counts, before it is clamped; NULL where that is no whole number
--           record_id     varchar  the id that the custodian named; NULL where none was
--           record_file   varchar  file the record stands in
--           record_row    bigint   its row in that file, the first is 1
-- params  $table_files  varchar[]  paths of the files
--         {{ value_columns }}  name, and the expression that reads it by its stored type, of each column
--         {{ given_weight }}   the expression of the weight column, or 1
--         {{ record_id }}      the expression of the column of ids, or null
-- source  histograms.md section 1
-- why     A view: each statement below scans the columns it needs and no others. By name, so that the type of a column
--         is one that holds those of all files, and not that of the first: which may be narrower, or null.
select
    {%- for column in value_columns %}
    {{ column.expression }} as {{ column.name }},
    {%- endfor %}
    cast({{ given_weight }} as bigint) as given_weight,
    cast({{ record_id }} as varchar) as record_id,
    record_file,
    file_row_number + 1 as record_row
from read_parquet($table_files, filename = 'record_file', file_row_number = true, union_by_name = true)
