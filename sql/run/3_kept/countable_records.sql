-- countable_records: the records that can be counted, each with its person.
--
-- zone    confidential
-- kind    view
-- reads   person_numbers   one row per person
--         block_geo_units  one row per block
--         finest_values    one row per combination of values
-- writes  one row per record of the universe that has a geo unit and listed values
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           {{ packed_columns }}  ubigint  as in persons
--           {{ single_questions }}  usmallint  the code of each question of one column, such as ethnicity_code
--           record_hash      uhugeint   MD5 of the person and of all that is counted of the record
-- params  {{ attributes }}        name of the number of each attribute's value
--         {{ record_keys }}       names of the columns that tell persons, and the order of the records of each
--         {{ packed_columns }}    name of each column of packed codes, and the codes in it
--         {{ single_questions }}  name of the column of each question of one column
-- source  tabulation.md section 4.4
-- why     What cannot be counted goes before the records of a person are bounded, so the bound is on what is left. Only
--         parameters that name the person of a record have the columns of record_keys. MD5, because the hash of the
--         engine changes with its version.
select
    {%- for column in record_keys %}
    person_numbers.{{ column | quoted }},
    {%- endfor %}
    block_geo_units.geo_unit_id,
    finest_values.finest_position,
    {%- for packed in packed_columns %}
    packed_codes(
        person_numbers.{{ packed.first }},
        person_numbers.{{ packed.second }},
        person_numbers.{{ packed.third }},
        person_numbers.{{ packed.fourth }}
    ) as {{ packed.name }},
    {%- endfor %}
    {%- for question in single_questions %}
    person_numbers.{{ question.code_column }},
    {%- endfor %}
    md5_number(
        concat_ws(
            chr(31),
            person_numbers.person_key,
            {%- for attribute in attributes %}
            person_numbers.{{ attribute.number | quoted }},
            {%- endfor %}
            {%- for packed in packed_columns %}
            packed_codes(
                person_numbers.{{ packed.first }},
                person_numbers.{{ packed.second }},
                person_numbers.{{ packed.third }},
                person_numbers.{{ packed.fourth }}
            ),
            {%- endfor %}
            {%- for question in single_questions %}
            person_numbers.{{ question.code_column }},
            {%- endfor %}
            person_numbers.block_key
        )
    ) as record_hash
from person_numbers
inner join block_geo_units on person_numbers.block_key = block_geo_units.block_key
inner join finest_values
    on
        true
        {%- for attribute in attributes %}
        and person_numbers.{{ attribute.number | quoted }} = finest_values.{{ attribute.number | quoted }}
        {%- endfor %}
