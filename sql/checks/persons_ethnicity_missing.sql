-- persons_ethnicity_missing: people without an ethnicity code.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
-- where   {persons} [QSPAN]
-- problem {n} record(s) without an ethnicity code
-- fix     give every person a code from {codes_list} in QSPAN
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row
from person_records
where person_records.QSPAN is null
