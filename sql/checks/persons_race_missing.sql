-- persons_race_missing: people without a first race code.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
-- where   {persons} [QRACE1]
-- problem {n} record(s) without a race code
-- fix     give every person a code from {codes_list} in QRACE1
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row
from person_records
where person_records.QRACE1 is null
