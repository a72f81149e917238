-- persons_age_out_of_range: people whose age is missing or impossible.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
-- where   {persons} [{age}]
-- problem {n} record(s) with an age that is missing, not a whole number, or outside 0-115
-- fix     give every record a whole age from 0 to 115, or say what to do with the others: unit.leave_out = ["age"]
-- leave   age
-- params  $age_column  varchar  the column of age in the person files
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    $age_column as column_name,
    person_records.QAGE_GIVEN as given_age
from person_records
where person_records.QAGE is null or person_records.QAGE not between 0 and 115
