-- person_numbers: the person files with their codes as numbers, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $persons      Parquet files, one row per person
--         code_numbers  one row per code of the list, and value of a question
--         geography_rows  one row per row of the geography files
-- writes  one row per person of the universe
--           {{ attribute_reads }}  integer  number of each attribute's value, such as AGE_number; or NULL
--           block_key  bigint   the codes of its place as one number, NULL where one is no number; or as text.
--                                      NULL, too, for a record that the parameters leave out
--           {{ code_values }}  usmallint  code_1, code_2, ...: the columns of the questions of several columns, such
--                                      as QRACE1, one question after another; 0 none
--           {{ single_values }}  usmallint  the column of each other question, such as ethnicity_code; 0 none
--           {{ clamped_amounts }}  bigint  what the record adds to each sum, such as amount_2; or NULL
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ person_key }}      the expression of the key, as the one of blocks
--         {{ attribute_reads }}   of each attribute, what its number is called, and its expression
--         {{ clamped_amounts }}   of each amount, what it is called, and its expression
--         {{ code_values }}       the code of each place as the file has it, or its number
--         {{ single_values }}     likewise of each question of one column
--         {{ code_lookups }}      for codes that are not four digits: the columns whose codes are looked up, and where
--         {{ place_lookups }}     the places of the geography, where it is said what counts that it lacks
--         {{ universe }}          what records of the universe fulfil
--         {{ record_keys }}       expressions of the columns that tell persons, and the order of the records of each
--         {{ part_read }}         what records fulfil of the part that is read, where not all are read
-- source  tabulation.md section 2.1
-- why     A conversion that cannot fail is made once for each distinct text of a Parquet page, and not for each person.
--         It takes what is no number, such as the text Null, for NULL; the checks refuse such records by their text.
--         Codes of other letters are looked up in code_numbers, which takes longer.
select
    {{ attribute_reads | named }},
    {{ person_key }} as block_key,
    {{ code_values | named("code_as_number") }},
    {{ single_values | named("code_as_number") }},
    {{ clamped_amounts | named }},
    {{ record_keys | named }}
from read_parquet($persons, union_by_name = $are_united, hive_types_autocast = false)
{%- for lookup in code_lookups %}
left join code_numbers as {{ lookup.name }}
    on
        {{ lookup.read }} = {{ lookup.name }}.listed_code
        and {{ lookup.name }}.question_name = {{ lookup.of | literal }}
{%- endfor %}
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
