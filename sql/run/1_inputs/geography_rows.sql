-- geography_rows: the geography file with its codes as text, and the part that each row is of.
--
-- zone    public
-- kind    view
-- reads   $geography  Parquet files, one row per block
-- writes  one row per row of the geography files
--           {{ geography_columns }}  varchar  the columns of the file that the run reads, such as TABBLKST
--           part_name                varchar  the part of the row, such as US; empty for none
-- params  $geography  varchar[]  paths of the files
--         {{ geography_columns }}  name of each column, and the expression that reads it by its stored type
--         {{ parts }}              name of each part that is run, and the condition that its rows fulfil
-- source  tabulation.md section 2.2
-- why     A row of several parts, which a check refuses, has the names of all.
with read_columns as (
    -- one row per row of the geography files
    select
        {{ geography_columns | named }},
    from read_parquet($geography, union_by_name = true, hive_types_autocast = false)
)

select
    {{ geography_columns | of("read_columns") }},
    concat_ws(
        ', '
        {%- for part in parts %},
        case when {{ parts[part] }} then {{ part | literal }} end
        {%- endfor %}
    ) as part_name
from read_columns
