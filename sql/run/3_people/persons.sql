-- persons: the people of the parts that are run, as a few small numbers each.
--
-- zone    confidential
-- reads   person_numbers   one row per person
--         block_geo_units  one row per block
--         finest_values    one row per combination of values
-- writes  one row per person who lives in a block of the parts that are run
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           codes_1_to_4     ubigint    the first four codes, such as QRACE1..QRACE4, 16 bits each; 0 none
--           codes_5_to_8     ubigint    the fifth to the eighth, likewise
--           {{ single_questions }}  usmallint  the code of each question of one column, such as ethnicity_code
-- params  {{ attributes }}        name of the number of each attribute's value
--         {{ single_questions }}  name of the column of each question of one column
-- seconds 54
-- source  tabulation.md sections 2.1 and 3
-- why     The count reads the records of 331 million people only here. Blocks are joined on one number. Codes are
--         packed into two numbers, which take less space than eight. Whoever has no block, or a value that
--         no attribute lists, has no row here; people_left_out tells.
select
    block_geo_units.geo_unit_id,
    finest_values.finest_position,
    packed_codes(
        person_numbers.code_1,
        person_numbers.code_2,
        person_numbers.code_3,
        person_numbers.code_4
    ) as codes_1_to_4,
    packed_codes(
        person_numbers.code_5,
        person_numbers.code_6,
        person_numbers.code_7,
        person_numbers.code_8
    ) as codes_5_to_8
    {%- for question in single_questions %},
    person_numbers.{{ question.name }}
    {%- endfor %}
from person_numbers
inner join block_geo_units on person_numbers.block_key = block_geo_units.block_key
inner join finest_values
    on
        true
        {%- for attribute in attributes %}
        and person_numbers.{{ attribute.quoted }} = finest_values.{{ attribute.quoted }}
        {%- endfor %}
