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
--         {{ universe }}          what records of the universe fulfil
--         {{ part_read }}         what records fulfil of the part that is read, where not all are read
-- seconds 8
-- source  tabulation.md section 2.1
-- why     Checks look at each value once, and at records only where a value is at fault: few values are read as codes.
with grouped_values as (
    -- one row per column and value as a file stores it, and one of nothing
    select
        case
            {%- for column in value_reads %}
            when grouping({{ value_keys[column] }}) = 0 then [{{ column | literal }}, {{ value_reads[column] }}]
            {%- endfor %}
        end as column_and_code
    from read_parquet($persons, file_row_number = true, union_by_name = $are_united, hive_types_autocast = false)
    where
        {{ universe | met(part_read) }}
    group by
        grouping sets (
            {%- for column in value_reads %}
            ({{ value_keys[column] }}),
            {%- endfor %}
            ()
        )
)

select
    grouped_values.column_and_code[1] as column_name,
    grouped_values.column_and_code[2] as code
from grouped_values
