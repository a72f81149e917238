-- persons: all people, as a few small numbers each.
--
-- zone    confidential
-- kind    stream
-- reads   person_numbers   one row per person
--         block_geo_units  one row per block
--         finest_values    one row per combination of values
--         bounded_persons  one row per person with more records than are counted
--         kept_records     one row per kept record of these persons
-- writes  one row per person of the universe
--           geo_unit_id      integer    key of geo_units, or NULL for whoever cannot be counted
--           finest_position  usmallint  key of finest_values, such as sex and age; NULL where none lists the values
--           {{ packed_columns }}  ubigint  codes_1_to_4, the first four codes of the questions of several columns, such
--                                      as QRACE1..QRACE4, 16 bits each, 0 none; codes_5_to_8, and so on
--           {{ single_codes }}  usmallint  the code of each question of one column, such as ethnicity_code
--           {{ amounts }}  bigint  what the record adds to each sum, such as amount_2
-- params  {{ attribute_numbers }}  name of the number of each attribute's value
--         {{ amounts }}           what each amount is called
--         {{ packed_columns }}    name of each column of packed codes, and the codes in it
--         {{ single_codes }}      name of the column of each question of one column
--         {{ person_bounds }}     the column of the person, where records of a person are bounded
-- source  tabulation.md sections 2.1 and 3
-- why     The count reads the records of 331 million people only here, and hands them, about a million at a time, to
--         the statements of kind slice: no table holds them all. Counts are sums over people, so any part of them can
--         be counted by itself; where people of a slice live near each other, its counts are fewer. Blocks are joined
--         on one number. Four codes are packed into a number, which takes less space.
select
    case
        when
            finest_values.finest_position is not null
            and {{ amounts | known("person_numbers") }}
            then block_geo_units.geo_unit_id
    end as geo_unit_id,
    finest_values.finest_position,
    {{ packed_columns | packed("person_numbers") }},
    {{ single_codes | of("person_numbers") }},
    {{ amounts | of("person_numbers") }}
from person_numbers
left join block_geo_units on person_numbers.block_key = block_geo_units.block_key
left join finest_values
    on
        {{ attribute_numbers | equal("person_numbers", "finest_values") }}
{%- for column in person_bounds %}
left join bounded_persons on person_numbers.{{ column | quoted }} = bounded_persons.{{ column | quoted }}
where
    bounded_persons.{{ column | quoted }} is null
    or block_geo_units.geo_unit_id is null
    or finest_values.finest_position is null
    or not ({{ amounts | known("person_numbers") }})
union all
select
    kept_records.geo_unit_id,
    kept_records.finest_position,
    {{ packed_columns | of("kept_records") }},
    {{ single_codes | of("kept_records") }},
    {{ amounts | of("kept_records") }}
from kept_records
{%- endfor %}
