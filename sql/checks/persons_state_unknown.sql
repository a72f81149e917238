-- persons_state_unknown: people whose state does not exist.
--
-- zone    confidential
-- reads   person_records  one row per person
--         person_values   one row per column and value as a file stores it
-- where   {persons} [TABBLKST]
-- problem {n} record(s) whose two-digit state is neither a state nor Puerto Rico (72)
-- fix     correct the state, or leave the records out: no run would count them
-- leave   place
-- params  {{ known_columns }}  name, pattern and known values of the state; nothing for a geography of your own
-- source  tabulation.md section 2.2
-- why     Values that are not two digits are reported by persons_block_malformed.
select
    null as person_file,
    null as person_row,
    null as column_name,
    null as code
where false
{%- for column in known_columns %}
union all
select
    person_records.person_file,
    person_records.person_row,
    {{ column.name | literal }} as column_name,
    person_records.{{ column.name | quoted }} as code
from person_records
semi join person_values
    on
        person_values.column_name = {{ column.name | literal }}
        and person_records.{{ column.name | quoted }} = person_values.code
        and regexp_full_match(person_values.code, {{ column.pattern | literal }})
        and not list_contains({{ column.listed | literal }}, person_values.code)
{%- endfor %}
