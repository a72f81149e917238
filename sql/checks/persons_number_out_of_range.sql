-- persons_number_out_of_range: people with a number that is missing, or outside the range of its attribute.
--
-- zone    confidential
-- kind    screened
-- each    number_attributes
-- reads   person_records  one row per person
-- where   {persons} [{column}]
-- problem {n} record(s) whose {attribute} is missing, not a whole number, or outside {values}
-- fix     give every record a whole number from {values}, or say in [attributes.{attribute}] what others count as: map
--         for single values, null for missing ones, unknown for numbers that mean missing, such as unknown = [999],
--         other for all; of years of birth, make ages in a view, such as 2026 - {column}, with the year of the
--         records; or leave such records out: {leave}
-- params  {{ attribute }}  name of its column, of the number of its value, and of the value as it is written
-- source  tabulation.md section 2.1
select
    person_records.person_file,
    person_records.person_row,
    {{ attribute.column | literal }} as column_name,
    person_records.{{ attribute.given | quoted }} as given_value
from person_records
where
    person_records.{{ attribute.number | quoted }} is null
    or person_records.{{ attribute.number | quoted }} < {{ attribute.minimum }}
    or person_records.{{ attribute.number | quoted }} > {{ attribute.largest_number }}
