-- person_numbers: the person files with their codes as numbers, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $persons      Parquet files, one row per person
--         code_numbers  one row per code of the list, and value of a question
--         geography_rows  one row per row of the geography files
-- writes  one row per person of the universe
--           {{ attributes }}  integer  number of each attribute's value, such as AGE_number; or NULL
--           block_key  bigint   the codes of its place as one number, NULL where one is no number; or as text.
--                                      NULL, too, for a record that the parameters leave out
--           {{ code_values }}  usmallint  code_1, code_2, ...: the columns of the questions of several columns, such
--                                      as QRACE1, one question after another; 0 none
--           {{ single_questions }}  usmallint  the column of each other question, such as ethnicity_code; 0 none
--           {{ amounts }}  bigint  what the record adds to each sum, such as amount_2; or NULL
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ person_key }}      the expression of the key, as the one of blocks
--         {{ attributes }}        each attribute, with what its number is called
--         {{ attribute_reads }}   of each attribute, the expression of its number
--         {{ amounts }}           each amount, with the least and the most that a record adds
--         {{ amount_reads }}      of each, the expression that reads it
--         {{ code_values }}       the code of each place as the file has it, or its number
--         {{ single_questions }}  each question of one column, with what its code is called
--         {{ single_numbers }}    of each such question, the code as the file has it, or its number
--         {{ code_lookups }}      for codes that are not four digits: the columns whose codes are looked up, and where
--         {{ place_lookups }}     the places of the geography, where it is said what counts that it lacks
--         {{ universe_columns }}  columns that tell which records count, and their values in the universe
--         {{ record_keys }}       expressions of the columns that tell persons, and the order of the records of each
--         {{ person_shares }}     the number of a part of the persons, and how many parts there are, where not all are
--         {{ row_ranges }}        the rows that are read of the one file, from 0, where not all are
-- source  tabulation.md section 2.1
-- why     A conversion that cannot fail is made once for each distinct text of a Parquet page, and not for each person.
--         It takes what is no number, such as the text Null, for NULL; the checks refuse such records by their text.
--         Codes of other letters are looked up in code_numbers, which takes longer.
select
    {%- for attribute in attributes %}
    {{ attribute_reads[attribute.name] }} as {{ attribute.number | quoted }},
    {%- endfor %}
    {{ person_key }} as block_key
    {%- for code in code_values %},
    code_as_number({{ code_values[code] }}) as {{ code }}
    {%- endfor %}
    {%- for question in single_questions %},
    code_as_number({{ single_numbers[question.name] }}) as {{ question.code_column }}
    {%- endfor %}
    {%- for amount in amounts %},
    clamped_amount({{ amount_reads[amount.name] }}, {{ amount.least }}, {{ amount.most }}) as {{ amount.name }}
    {%- endfor %}
    {%- for column in record_keys %},
    {{ record_keys[column] }} as {{ column | quoted }}
    {%- endfor %}
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
    true
    {%- for column in universe_columns %}
    and list_contains({{ universe_columns[column] | literal }}, {{ column }})
    {%- endfor %}
    {%- for rows in row_ranges %}
    and file_row_number >= {{ rows.first }}
    and file_row_number < {{ rows.end }}
    {%- endfor %}
    {%- for share in person_shares %}
    and coalesce(hash({{ share.person }}), 0) % {{ share.of }} = {{ share.number }}
    {%- endfor %}
