-- persons_code_after_null: people with a race code in a column after an empty one.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
-- where   {persons} [QRACE1 to QRACE8]
-- problem {n} record(s) with a race code after a Null
-- fix     move the codes to the first columns, so that Null follows only the last code
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    person_records.QRACE1,
    person_records.QRACE2,
    person_records.QRACE3,
    person_records.QRACE4,
    person_records.QRACE5,
    person_records.QRACE6,
    person_records.QRACE7,
    person_records.QRACE8
from person_records
where
    (person_records.QRACE2 is null and person_records.QRACE3 is not null)
    or (person_records.QRACE3 is null and person_records.QRACE4 is not null)
    or (person_records.QRACE4 is null and person_records.QRACE5 is not null)
    or (person_records.QRACE5 is null and person_records.QRACE6 is not null)
    or (person_records.QRACE6 is null and person_records.QRACE7 is not null)
    or (person_records.QRACE7 is null and person_records.QRACE8 is not null)
    or (person_records.QRACE1 is null and person_records.QRACE2 is not null)
