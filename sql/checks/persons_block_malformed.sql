-- persons_block_malformed: people whose block is not spelled as the parameters say, or whose state does not exist.
--
-- zone    confidential
-- reads   person_records  one row per person
--         person_values   one row per column and value as a file stores it
-- where   {persons} [{place}]
-- problem {n} code(s) of a place that are missing, of another number of digits than its codes have, or of no state
-- fix     give every digit of each code, but for zeros at its front, or correct it; say what means no place,
--         place.null = "9999", to count such records where everybody is; or leave them out: unit.leave_out = ["place"]
-- leave   place
-- params  {{ block_columns }}  name of each column that names a place, and the pattern of its values
-- source  tabulation.md section 2.1
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
        unnest({{ block_columns | literal }}) as column_name,
        unnest([
            {{ block_columns | of("person_records") }},
            null
        ]) as code
    from person_records
) as held_codes
semi join person_values
    on
        held_codes.column_name = person_values.column_name
        and held_codes.code is not distinct from person_values.code
        and (
            false
            {%- for column in block_columns %}
            or (
                person_values.column_name = {{ column | literal }}
                and not regexp_full_match(coalesce(person_values.code, ''), {{ block_columns[column] | literal }})
            )
            {%- endfor %}
        )
