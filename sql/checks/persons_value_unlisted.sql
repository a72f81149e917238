-- persons_value_unlisted: people with a value of a listed attribute that is missing, or not in the list.
--
-- zone    confidential
-- kind    screened
-- each    listed_attributes
-- reads   person_records  one row per person
-- where   {persons} [{column}]
-- problem {n} record(s) whose {attribute} is none of {values}
-- fix     correct them, list the value in [attributes.{attribute}], in a group where it has groups, or say there what
--         it counts as: map for single values, null for missing ones, other for all; or leave such records out: {leave}
-- params  {{ attribute }}  name of its column, of the number of its value, and of the value as it is written
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    {{ attribute.column | literal }} as column_name,
    person_records.{{ attribute.given | quoted }} as given_value
from person_records
where person_records.{{ attribute.number | quoted }} is null
