-- several_codes: the race codes of the people of a slice of geo units who give several.
--
-- zone    confidential
-- kind    slice
-- reads   persons  one row per person who lives in a block of the requested states
-- writes  one row per person with several race codes, and code
--           person           bigint     number of the row in persons
--           geo_unit_id      integer    key of geo_units
--           finest_position  utinyint   key of finest_cells: sex and age
--           code             usmallint  race code
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 18
-- source  tabulation.md section 2.1
-- why     Whoever gives one code is in the iterations of that code, and needs no row here. A code that a person gives
--         twice has two rows; the statements that read this table count it once.
with unpacked_codes as (
    -- one row per person with several race codes, and place of a code
    select
        persons.rowid as person,
        persons.geo_unit_id,
        persons.finest_position,
        unnest([
            persons.race_codes_1_to_4 // 1000000000000,
            persons.race_codes_1_to_4 // 100000000 % 10000,
            persons.race_codes_1_to_4 // 10000 % 10000,
            persons.race_codes_1_to_4 % 10000,
            persons.race_codes_5_to_8 // 1000000000000,
            persons.race_codes_5_to_8 // 100000000 % 10000,
            persons.race_codes_5_to_8 // 10000 % 10000,
            persons.race_codes_5_to_8 % 10000
        ]) as code
    from persons
    where
        persons.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
        and persons.race_codes_1_to_4 % 1000000000000 > 0
)

select
    unpacked_codes.person,
    unpacked_codes.geo_unit_id,
    unpacked_codes.finest_position,
    cast(unpacked_codes.code as usmallint) as code
from unpacked_codes
where unpacked_codes.code > 0
