-- persons_sex_unknown: people whose sex is neither of the two codes.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [QSEX]
-- problem {n} record(s) with a sex that is neither 1 nor 2
-- fix     code male as 1 and female as 2
-- seconds 3
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    person_records.QSEX
from person_records
where person_records.QSEX is null or person_records.QSEX not in ('1', '2')
