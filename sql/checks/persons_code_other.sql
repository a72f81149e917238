-- persons_code_other: records whose code the code list lacks, and that count with the code that the parameters name.
--
-- zone    confidential
-- kind    note
-- each    other_columns
-- reads   person_records  one row per person
--         codes           one row per row of the code list, and value of a question
-- where   {persons} [{column}]
-- problem {n} code(s) that {codes_list} does not list, and that count by other in [{table}]
-- fix     map them, or add them to the list, if they should count as something else
-- params  {{ other_column }}  the column of the question
-- source  tabulation.md section 2.1
-- why     As persons_value_mapped: how many there are stands in the confidential log alone.
select
    person_records.person_file,
    person_records.person_row
from person_records
anti join codes
    on person_records.{{ other_column | quoted }} = codes.code and codes.question_name = ''
where person_records.{{ other_column | quoted }} is not null
