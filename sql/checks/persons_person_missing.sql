-- persons_person_missing: records that do not say whose they are.
--
-- zone    confidential
-- kind    screened
-- each    named_persons
-- reads   person_records  one row per person
-- where   {persons} [{person}]
-- problem {n} record(s) without a person, or with an id that lost its digits, such as 1.23E+17
-- fix     give every record the person it is of; or leave such records out: unit.leave_out = ["person"]
-- source  tabulation.md section 4.4
select
    person_records.person_file,
    person_records.person_row,
    person_records.person_key
from person_records
where person_records.person_key is null
