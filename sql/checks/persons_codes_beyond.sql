-- persons_codes_beyond: people with more codes in a list than are read.
--
-- zone    confidential
-- each    list_questions
-- reads   person_records  one row per person
-- where   {persons} [{answers}]
-- problem {n} list(s) with more codes than at_most in [{table}], {at_most}
-- fix     write a larger at_most, which makes every count of the question noisier; or shorten the lists in SQL, as
--         {answers}[:{at_most}] does; or leave such records out: unit.leave_out = ["codes"]
-- params  {{ beyond_column }}  the place of the list behind the last that is read
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    {{ beyond_column | literal }} as column_name,
    person_records.{{ beyond_column | quoted }} as code
from person_records
where person_records.{{ beyond_column | quoted }} is not null
