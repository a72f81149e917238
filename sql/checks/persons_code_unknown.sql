-- persons_code_unknown: race and ethnicity codes of people that are not in the code list.
--
-- zone    confidential
-- reads   person_records  one row per person
--         codes  one row per row of the code list
-- where   {persons} [QRACE1 to QRACE8, QSPAN]
-- problem {n} code(s) that {codes_list} does not list
-- fix     add the code to the list, or correct the record
-- params  {{ code_columns }}  the columns of a person that hold race or ethnicity codes
-- seconds 14
-- source  tabulation.md section 2.1
select
    null as person_file,
    null as person_row,
    null as column_name,
    null as code
where false
{%- for column in code_columns %}
union all
select
    person_records.person_file,
    person_records.person_row,
    '{{ column }}' as column_name,
    person_records.{{ column }} as code
from person_records
where
    person_records.{{ column }} is not null
    and person_records.{{ column }} not in (select codes.code from codes where codes.code is not null)
{%- endfor %}
