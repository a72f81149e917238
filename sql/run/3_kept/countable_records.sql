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
--           {{ single_codes }}  usmallint  the code of each question of one column, such as ethnicity_code
--           {{ amounts }}  bigint  what the record adds to each sum
--           record_hash      uhugeint   MD5 of the person and of all that is counted of the record
-- params  {{ attribute_numbers }}  name of the number of each attribute's value
--         {{ amounts }}           what each amount is called
--         {{ record_keys }}       names of the columns that tell persons, and the order of the records of each
--         {{ packed_columns }}    name of each column of packed codes, and the codes in it
--         {{ single_codes }}      name of the column of each question of one column
-- source  tabulation.md section 4.4
-- why     What cannot be counted goes before the records of a person are bounded, so the bound is on what is left. Only
--         parameters that name the person of a record have the columns of record_keys. MD5, because the hash of the
--         engine changes with its version.
with placed_records as (
    -- one row per record of the universe that has a geo unit and listed values
    select
        {{ record_keys | of("person_numbers") }},
        person_numbers.block_key,
        block_geo_units.geo_unit_id,
        finest_values.finest_position,
        {{ attribute_numbers | of("person_numbers") }},
        {{ packed_columns | packed("person_numbers") }},
        {{ single_codes | of("person_numbers") }},
        {{ amounts | of("person_numbers") }}
    from person_numbers
    inner join block_geo_units on person_numbers.block_key = block_geo_units.block_key
    inner join finest_values
        on
            {{ attribute_numbers | equal("person_numbers", "finest_values") }}
    where
        {{ amounts | known("person_numbers") }}
)

select
    {{ record_keys | of("placed_records") }},
    placed_records.geo_unit_id,
    placed_records.finest_position,
    {{ packed_columns | of("placed_records") }},
    {{ single_codes | of("placed_records") }},
    {{ amounts | of("placed_records") }},
    md5_number(
        concat_ws(
            chr(31),
            placed_records.person_key,
            {{ attribute_numbers | of("placed_records") }},
            {{ packed_columns | of("placed_records") }},
            {{ single_codes | of("placed_records") }},
            {{ amounts | of("placed_records") }},
            placed_records.block_key
        )
    ) as record_hash
from placed_records
