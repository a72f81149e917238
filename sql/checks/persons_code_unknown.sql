-- persons_code_unknown: race and ethnicity codes of people that are not in the code list.
--
-- zone    confidential
-- each    asked_questions
-- reads   person_records  one row per person
--         codes  one row per row of the code list, and value of a question
-- where   {persons} [{answers}]
-- problem {n} code(s) that are not in {listed}
-- fix     add the code there, or correct the record: where there is no code, leave the field empty (NA, NULL and the
--         like are texts); or say in a file with [{table}] what it counts as: map."9" = "CODE" for a 9, or
--         other = "CODE" for all; if these are codes of something else, name the right columns there, as
--         `new --answers COLUMN,COLUMN` does; or leave such records out: unit.leave_out = ["codes"]
-- params  {{ asked_columns }}  the columns of a record that hold codes, where any other is an error, and the question
--                             whose values these must be; or empty text for the list that questions share
--         $counted_codes  varchar[]  the codes that missing, mapped and other answers count as
-- seconds 12
-- source  tabulation.md section 2.1
-- why     Each distinct value is looked up once, and only records that hold an unknown code are read again. Where the
--         list lacks what answers count as, counted_code_unknown says so, once.
with answers as not materialized (
    select
        person_records.person_file,
        person_records.person_row
        {%- for column in asked_columns %},
        person_records.{{ column | quoted }}
        {%- endfor %}
    from person_records
)

{%- for column in asked_columns %},

unknown_{{ loop.index }} as (
    -- one row per distinct value that is in no code list
    select counted.code
    from (select answers.{{ column | quoted }} as code from answers group by answers.{{ column | quoted }}) as counted
    anti join codes
        on counted.code = codes.code and codes.question_name = {{ asked_columns[column] | literal }}
    where
        counted.code is not null
        and not list_contains(cast($counted_codes as varchar[]), counted.code)
)
{%- endfor %}

select
    null as person_file,
    null as person_row,
    null as column_name,
    null as code
where false
{%- for column in asked_columns %}
union all
select
    answers.person_file,
    answers.person_row,
    {{ column | literal }} as column_name,
    answers.{{ column | quoted }} as code
from answers
semi join unknown_{{ loop.index }} on answers.{{ column | quoted }} = unknown_{{ loop.index }}.code
{%- endfor %}
