-- persons: the people of the requested states, as a few small numbers each.
--
-- zone    confidential
-- reads   person_records   one row per person
--         block_geo_units  one row per block
--         finest_ages      one row per sex and year of age, 0 to 115
-- writes  one row per person who lives in a block of the requested states
--           geo_unit_id        integer    key of geo_units
--           finest_position    utinyint   key of finest_cells: sex and age
--           race_codes_1_to_4  bigint     QRACE1..QRACE4, four decimal digits each; 0000 none
--           race_codes_5_to_8  bigint     QRACE5..QRACE8, likewise
--           ethnicity_code     usmallint  QSPAN as a number
-- seconds 65
-- source  tabulation.md sections 2.1 and 3
-- why     The count reads the text of 331 million records only here. Blocks are joined on one number. Race codes are
--         packed into two numbers, the keys of the next step. Empty race columns are not converted to numbers, because
--         most people have a single code.
select
    block_geo_units.geo_unit_id,
    finest_ages.finest_position,
    (
        cast(person_records.QRACE1 as bigint) * 1000000000000
        + case when person_records.QRACE2 is null then 0 else cast(person_records.QRACE2 as bigint) * 100000000 end
        + case when person_records.QRACE3 is null then 0 else cast(person_records.QRACE3 as bigint) * 10000 end
        + case when person_records.QRACE4 is null then 0 else cast(person_records.QRACE4 as bigint) end
    ) as race_codes_1_to_4,
    (
        case when person_records.QRACE5 is null then 0 else cast(person_records.QRACE5 as bigint) * 1000000000000 end
        + case when person_records.QRACE6 is null then 0 else cast(person_records.QRACE6 as bigint) * 100000000 end
        + case when person_records.QRACE7 is null then 0 else cast(person_records.QRACE7 as bigint) * 10000 end
        + case when person_records.QRACE8 is null then 0 else cast(person_records.QRACE8 as bigint) end
    ) as race_codes_5_to_8,
    cast(person_records.QSPAN as usmallint) as ethnicity_code
from person_records
inner join block_geo_units
    on
        (
            cast(person_records.TABBLKST as bigint) * 10000000000000
            + cast(person_records.TABBLKCOU as bigint) * 10000000000
            + cast(person_records.TABTRACTCE as bigint) * 10000
            + cast(person_records.TABBLK as bigint)
        ) = block_geo_units.block_key
inner join finest_ages
    on
        cast(person_records.QSEX as utinyint) = finest_ages.sex
        and cast(person_records.QAGE as utinyint) = finest_ages.age
