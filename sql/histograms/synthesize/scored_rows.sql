-- scored_rows: the exact rows followed by the synthetic rows, every field as text, or as a number.
--
-- zone    confidential
-- reads   $table_files      Parquet files, the exact rows
--         $synthetic_files  Parquet files, the synthetic rows
-- writes  one row per exact row and synthetic row
--           is_exact  boolean  true for an exact row, false for a synthetic row
--           field_1   varchar  the first field that both tables have
--           field_2   varchar  the second field; and so on for each further field
-- params  $table_files      varchar[]  paths of the exact files
--         $synthetic_files  varchar[]  paths of the synthetic files
--         {{ scored_columns }}  name here, and the expressions that read it from either table, of each field
-- source  histograms.md section 5
-- why     For public or synthetic data, or for the custodian alone: a score sees exact rows.
select
    true as is_exact
    {%- for column in scored_columns %},
    {{ column.exact }} as {{ column.name }}
    {%- endfor %}
from read_parquet($table_files, union_by_name = true, hive_types_autocast = false) as exact_rows
union all
select
    false as is_exact
    {%- for column in scored_columns %},
    {{ column.synthetic }} as {{ column.name }}
    {%- endfor %}
from read_parquet($synthetic_files, union_by_name = true, hive_types_autocast = false) as synthetic_rows
