-- persons_unread_repeated: values of several records, in a column that is called like the id of a person and not read.
--
-- zone    confidential
-- kind    screened warning
-- each    unread_ids
-- reads   $persons  Parquet files, one row per person
-- where   {persons} [{column}]
-- problem nothing reads it, and {n} of its values stand in several records: are the rows people?
-- fix     if it says whose a record is, write person = "{column}" and most_records under [unit]; if not, go on
-- params  $persons  varchar[]  paths of the files
--         {{ unread_name }}  name of the column
--         {{ universe_columns }}  columns that tell which records count, and their values in the universe
-- source  tabulation.md section 2.1
-- why     For validate alone. A value of many records, such as the number of a floor, is no id.
select
    {{ unread_name | quoted }} as id,
    count(*) as records
from read_parquet($persons, union_by_name = true, hive_types_autocast = false)
where
    as_text({{ unread_name | quoted }}) <> ''
    {%- for column in universe_columns %}
    and list_contains({{ universe_columns[column] | literal }}, {{ column }})
    {%- endfor %}
group by {{ unread_name | quoted }}
qualify sum(count(*)) over () < 50 * count(*) over () and count(*) > 1
