-- person_values: the values that person files hold in the columns of places and of questions.
--
-- zone    confidential
-- reads   $persons  Parquet files, one row per person
-- writes  one row per column and value as a file stores it
--           column_name  varchar  the column, such as TABBLKST or QRACE1
--           code         varchar  the value as person_records has it, if it is looked at by itself; NULL for no code
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ value_reads }}  name of each column, and the expression that reads it
--         {{ value_keys }}  of each, its name in quotation marks, or the place of a list
--         {{ universe_columns }}  columns that tell which records count, and their values in the universe
--         {{ row_ranges }}   the rows that are read of the one file, from 0, where not all are
-- seconds 8
-- source  tabulation.md section 2.1
-- why     Checks look at each value once, and at records only where a value is at fault: few values are read as codes.
select
    case
        {%- for column in value_reads %}
        when grouping({{ value_keys[column] }}) = 0 then {{ column | literal }}
        {%- endfor %}
    end as column_name,
    case
        {%- for column in value_reads %}
        when grouping({{ value_keys[column] }}) = 0 then {{ value_reads[column] }}
        {%- endfor %}
    end as code
from read_parquet($persons, file_row_number = true, union_by_name = $are_united, hive_types_autocast = false)
where
    true
    {%- for column in universe_columns %}
    and list_contains({{ universe_columns[column] | literal }}, {{ column }})
    {%- endfor %}
    {%- for rows in row_ranges %}
    and file_row_number >= {{ rows.first }}
    and file_row_number < {{ rows.end }}
    {%- endfor %}
group by
    grouping sets (
        {%- for column in value_reads %}
        ({{ value_keys[column] }}),
        {%- endfor %}
        ()
    )
