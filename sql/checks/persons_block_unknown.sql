-- persons_block_unknown: people of the requested states in blocks that the geography lacks.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
--         geography_rows  one row per row of the geography files
-- where   {persons} [TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK]
-- problem {n} record(s) in a block that {geography} does not list
-- fix     add the block to the geography, or correct the record
-- params  $states  varchar[]  two-digit codes of the requested states
-- source  tabulation.md section 2.2
with listed_blocks as (
    select
        (
            try_cast(geography_rows.TABBLKST as bigint) * 10000000000000
            + try_cast(geography_rows.TABBLKCOU as bigint) * 10000000000
            + try_cast(geography_rows.TABTRACTCE as bigint) * 10000
            + try_cast(geography_rows.TABBLK as bigint)
        ) as block_key
    from geography_rows
)

select
    person_records.person_file,
    person_records.person_row,
    person_records.TABBLKST,
    person_records.TABBLKCOU,
    person_records.TABTRACTCE,
    person_records.TABBLK
from person_records
anti join listed_blocks
    on
        (
            try_cast(person_records.TABBLKST as bigint) * 10000000000000
            + try_cast(person_records.TABBLKCOU as bigint) * 10000000000
            + try_cast(person_records.TABTRACTCE as bigint) * 10000
            + try_cast(person_records.TABBLK as bigint)
        ) = listed_blocks.block_key
where list_contains($states, person_records.TABBLKST)
