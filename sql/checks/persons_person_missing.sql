-- persons_person_missing: records that do not say whose they are.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
-- where   {persons} [{person}]
-- problem {n} record(s) without a person
-- fix     give every record the person it is of; or leave such records out: unit.leave_out = ["person"]
-- leave   person
-- params  {{ person_bounds }}  the column of the person, where the parameters name it
-- source  tabulation.md section 4.4
select
    null as person_file,
    null as person_row,
    null as person_key
where false
{%- for column in person_bounds %}
union all
select
    person_records.person_file,
    person_records.person_row,
    person_records.{{ column | quoted }} as person_key
from person_records
where person_records.{{ column | quoted }} is null
{%- endfor %}
