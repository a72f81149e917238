-- persons_block_malformed: people whose block is not spelled as four codes of digits.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK]
-- problem {n} record(s) with a block that is missing or not 2, 3, 6 and 4 digits
-- fix     give each code in full, leading zeros included
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    person_records.TABBLKST,
    person_records.TABBLKCOU,
    person_records.TABTRACTCE,
    person_records.TABBLK
from person_records
where
    not coalesce(
        length(person_records.TABBLKST) = 2
        and length(person_records.TABBLKCOU) = 3
        and length(person_records.TABTRACTCE) = 6
        and length(person_records.TABBLK) = 4
        and regexp_full_match(
            person_records.TABBLKST || person_records.TABBLKCOU
            || person_records.TABTRACTCE || person_records.TABBLK,
            '[0-9]+'
        ),
        false
    )
