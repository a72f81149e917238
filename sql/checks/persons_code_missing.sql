-- persons_code_missing: people without an answer to a question.
--
-- zone    confidential
-- kind    screened
-- each    asked_questions
-- reads   person_records  one row per person
-- where   {persons} [{answers}]
-- problem {n} answer(s) missing: a column without a code
-- fix     give every record a code, or say what no answer counts as: null = "CODE" in [{table}]{of_list}
--         that no record holds; or leave such records out: unit.leave_out = ["codes"]
-- params  {{ first_column }}  the first column of the question
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    {{ first_column | literal }} as column_name,
    person_records.{{ first_column | quoted }} as code
from person_records
where person_records.{{ first_column | quoted }} is null
