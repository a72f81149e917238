-- persons_code_after_null: people with a code in a column after an empty one.
--
-- zone    confidential
-- kind    screened
-- each    asked_questions
-- reads   person_records  one row per person
-- where   {persons} [{answers}]
-- problem {n} code(s) in a column after an empty one
-- fix     move the codes to the first columns, so that Null follows only the last code; or say null = "CODE", a
--         code that no record holds, which counts none there; or leave such records out: unit.leave_out = ["codes"]
-- params  {{ code_pairs }}  columns of the question of several columns, each with the one before it
-- source  tabulation.md section 2.1
select
    null as person_file,
    null as person_row,
    null as column_name,
    null as code
where false
{%- for pair in code_pairs %}
union all
select
    person_records.person_file,
    person_records.person_row,
    {{ pair | literal }} as column_name,
    person_records.{{ pair | quoted }} as code
from person_records
where person_records.{{ code_pairs[pair] | quoted }} is null and person_records.{{ pair | quoted }} is not null
{%- endfor %}
