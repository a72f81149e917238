-- person_records: the person files with their codes as text, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $persons  Parquet files, one row per person
--         geography_rows  one row per row of the geography files
-- writes  one row per person of the universe
--           person_file  varchar   file that holds the record
--           person_row   bigint    its row number in that file, from 1
--           {{ attribute_reads }}  integer  number of each attribute's value, such as AGE_number; or NULL
--           {{ amount_reads }}  integer  the amount that each ladder of sums adds up, as it is; or NULL
--           {{ place_columns }}  varchar  the columns that name its place, such as TABBLKST
--           {{ code_columns }}  varchar  the columns of the questions, such as QRACE1 and QSPAN; NULL for no code
--           {{ given_values }}  varchar  the value of each attribute as it is written in the file
--           {{ mapped_reads }}  boolean  whether a value counts as another one, of columns of which that is said
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
--           PERSON_ID    varchar   from the column of ids that the custodian named; NULL without one
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ place_columns }}   name of each column of its place, and the expression that reads it
--         {{ code_columns }}    name of each column of a question, and the expression that reads it
--         {{ attribute_reads }}  of each attribute, what its number is called, and its expression
--         {{ amount_reads }}    of each amount, what it is called, and the expression that reads it
--         {{ given_values }}    name of each value as it is written, and the expression that reads it
--         {{ mapped_reads }}      name of each such column, and the expression of whether its value does
--         {{ record_keys }}       expressions of the columns that tell persons, and the order of the records of each
--         {{ person_columns }}  the expression that reads the column of ids
--         {{ place_lookups }}     the places of the geography, where it is said what counts that it lacks
--         {{ universe }}          what records of the universe fulfil
--         {{ part_read }}         what records fulfil of the part that is read, where not all are read
-- source  tabulation.md section 2.1
-- why     A view: statements scan the columns that they need. The type of united columns holds the values of all files.
select
    person_file,
    file_row_number + 1 as person_row,
    {{ attribute_reads | named }},
    {{ amount_reads | named }},
    {{ place_columns | named }},
    {{ code_columns | named }},
    {{ given_values | named }},
    {{ mapped_reads | named }},
    {{ record_keys | named }},
    {{ person_columns.PERSON_ID }} as PERSON_ID
from read_parquet(
    $persons, filename = 'person_file', file_row_number = true, union_by_name = $are_united, hive_types_autocast = false
)
{%- for lookup in place_lookups %}
left join (
    select distinct {{ lookup.key }} as listed_place
    from geography_rows
    group by {{ lookup.groups }}
) as listed_places
    on {{ lookup.read }} = listed_places.listed_place
{%- endfor %}
where
    {{ universe | met(part_read) }}
