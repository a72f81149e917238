-- persons_code_unknown: race and ethnicity codes of people that are not in the code list.
--
-- zone    confidential
-- each    asked_questions
-- reads   person_records  one row per person
--         person_values   one row per column and value as a file stores it
--         codes           one row per row of the code list, and value of a question
-- where   {persons} [{answers}]
-- problem {n} code(s) that are not in {listed}
-- fix     add the code there, or correct the record: where there is no code, leave the field empty (NA and NULL are
--         texts); or say in a file with [{table}] what it counts as: map."9" = "CODE", or other = "CODE" for all, or
--         name other columns, as `new --answers A,B` does; or leave such records out: unit.leave_out = ["codes"]
-- params  {{ asked_columns }}  the columns of a record that hold codes, where any other is an error, and the question
--                             whose values these must be; or empty text for the list that questions share
--         $counted_codes  varchar[]  the codes that missing, mapped and other answers count as
-- source  tabulation.md section 2.1
-- why     Where the list lacks what answers count as, counted_code_unknown says so, once.
with unlisted_values as (
    -- one row per column and value that is in no code list
    select
        null as column_name,
        null as code
    where false
    {%- for column in asked_columns %}
    union all
    select
        person_values.column_name,
        person_values.code
    from person_values
    anti join codes
        on person_values.code = codes.code and codes.question_name = {{ asked_columns[column] | literal }}
    where
        person_values.column_name = {{ column | literal }}
        and not list_contains(cast($counted_codes as varchar[]), person_values.code)
    {%- endfor %}
)

select
    held_codes.person_file,
    held_codes.person_row,
    held_codes.column_name,
    held_codes.code
from (
    -- one row per record and column
    select
        person_records.person_file,
        person_records.person_row,
        unnest({{ asked_columns | literal }}) as column_name,
        unnest([
            {{ asked_columns | of("person_records") }},
            null
        ]) as code
    from person_records
) as held_codes
semi join unlisted_values
    on held_codes.column_name = unlisted_values.column_name and held_codes.code = unlisted_values.code
