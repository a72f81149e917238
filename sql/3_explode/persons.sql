-- persons: the people of the requested states, as a few small numbers each.
--
-- zone    confidential
-- reads   person_records  one row per person
--         block_cells     one row per block
-- writes  one row per person who lives in a block of the requested states
--           cell_id             integer    key of cells
--           sex                 utinyint   1 male, 2 female
--           age                 utinyint   years
--           race_codes_1_to_4   bigint     QRACE1..QRACE4, four decimal digits each; 0000 none
--           race_codes_5_to_8   bigint     QRACE5..QRACE8, likewise
--           ethnicity_code      usmallint  QSPAN as a number
-- source  tabulation.md sections 2.1 and 3
-- why     This is the only table with a row per person that is made from text, and the one pass over it.
--         Race codes are packed into two numbers because the next step groups and joins on them: two keys
--         instead of eight.
select
    block_cells.cell_id,
    cast(person_records.QSEX as utinyint) as sex,
    cast(person_records.QAGE as utinyint) as age,
    (
        cast(coalesce(person_records.QRACE1, '0') as bigint) * 1000000000000
        + cast(coalesce(person_records.QRACE2, '0') as bigint) * 100000000
        + cast(coalesce(person_records.QRACE3, '0') as bigint) * 10000
        + cast(coalesce(person_records.QRACE4, '0') as bigint)
    ) as race_codes_1_to_4,
    (
        cast(coalesce(person_records.QRACE5, '0') as bigint) * 1000000000000
        + cast(coalesce(person_records.QRACE6, '0') as bigint) * 100000000
        + cast(coalesce(person_records.QRACE7, '0') as bigint) * 10000
        + cast(coalesce(person_records.QRACE8, '0') as bigint)
    ) as race_codes_5_to_8,
    cast(person_records.QSPAN as usmallint) as ethnicity_code
from person_records
inner join block_cells
    on
        cast(
            person_records.TABBLKST || person_records.TABBLKCOU
            || person_records.TABTRACTCE || person_records.TABBLK
            as bigint
        ) = block_cells.block_key
