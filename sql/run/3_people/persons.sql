-- persons: the people of the parts that are run, as a few small numbers each.
--
-- zone    confidential
-- reads   person_numbers   one row per person
--         block_geo_units  one row per block
--         finest_ages      one row per sex and year of age, 0 to 115
-- writes  one row per person who lives in a block of the parts that are run
--           geo_unit_id        integer    key of geo_units
--           finest_position    utinyint   key of finest_cells: sex and age
--           race_codes_1_to_4  ubigint    the first four codes (QRACE1..QRACE4), 16 bits each; 0 none
--           race_codes_5_to_8  ubigint    the fifth to the eighth, likewise
--           {{ single_questions }}  usmallint  the code of each question of one column, such as ethnicity_code
-- params  {{ single_questions }}  name of the column of each question of one column
-- seconds 54
-- source  tabulation.md sections 2.1 and 3
-- why     The count reads the records of 331 million people only here. Blocks are joined on one number. Race codes are
--         packed into two numbers, which take less space than eight. Whoever has no block or no age of the catalog has
--         no row here; people_left_out tells.
select
    block_geo_units.geo_unit_id,
    finest_ages.finest_position,
    packed_codes(
        person_numbers.race_code_1,
        person_numbers.race_code_2,
        person_numbers.race_code_3,
        person_numbers.race_code_4
    ) as race_codes_1_to_4,
    packed_codes(
        person_numbers.race_code_5,
        person_numbers.race_code_6,
        person_numbers.race_code_7,
        person_numbers.race_code_8
    ) as race_codes_5_to_8
    {%- for question in single_questions %},
    person_numbers.{{ question.name }}
    {%- endfor %}
from person_numbers
inner join block_geo_units on person_numbers.block_key = block_geo_units.block_key
inner join finest_ages on person_numbers.sex = finest_ages.sex and person_numbers.age = finest_ages.age
