-- persons: the people of the requested states, as a few small numbers each.
--
-- zone    confidential
-- reads   person_numbers   one row per person
--         block_geo_units  one row per block
--         finest_ages      one row per sex and year of age, 0 to 115
-- writes  one row per person who lives in a block of the requested states
--           geo_unit_id        integer    key of geo_units
--           finest_position    utinyint   key of finest_cells: sex and age
--           race_codes_1_to_4  bigint     QRACE1..QRACE4, four decimal digits each; 0000 none
--           race_codes_5_to_8  bigint     QRACE5..QRACE8, likewise
--           ethnicity_code     usmallint  QSPAN as a number
-- seconds 54
-- source  tabulation.md sections 2.1 and 3
-- why     The count reads the records of 331 million people only here. Blocks are joined on one number. Race codes are
--         packed into two numbers, which take less space than eight. Whoever has no block or no age of the catalog has
--         no row here; people_left_out tells.
select
    block_geo_units.geo_unit_id,
    finest_ages.finest_position,
    (
        cast(person_numbers.race_code_1 as bigint) * 1000000000000
        + cast(person_numbers.race_code_2 as bigint) * 100000000
        + cast(person_numbers.race_code_3 as bigint) * 10000
        + cast(person_numbers.race_code_4 as bigint)
    ) as race_codes_1_to_4,
    (
        cast(person_numbers.race_code_5 as bigint) * 1000000000000
        + cast(person_numbers.race_code_6 as bigint) * 100000000
        + cast(person_numbers.race_code_7 as bigint) * 10000
        + cast(person_numbers.race_code_8 as bigint)
    ) as race_codes_5_to_8,
    person_numbers.ethnicity_code
from person_numbers
inner join block_geo_units on person_numbers.block_key = block_geo_units.block_key
inner join finest_ages on person_numbers.sex = finest_ages.sex and person_numbers.age = finest_ages.age
