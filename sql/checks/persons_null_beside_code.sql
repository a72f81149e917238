-- persons_null_beside_code: records in which the code of null stands beside another code, and counts as none.
--
-- zone    confidential
-- kind    warning
-- each    null_questions
-- reads   person_records  one row per person
-- where   {persons} [{answers}]
-- problem {n} record(s) hold the code of null beside another code, where it counts as no code
-- fix     if it means that there is no further code, go on; else name as null in [{table}] a code that no record holds
-- params  {{ null_beside }}  the column that says whether it does
-- source  tabulation.md section 2.1
-- why     A warning and no refusal: files may fill every column, so that 0 follows the last code.
select
    person_records.person_file,
    person_records.person_row
from person_records
where person_records.{{ null_beside | quoted }}
