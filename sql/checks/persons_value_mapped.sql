-- persons_value_mapped: records whose value counts as another one, as the parameters say.
--
-- zone    confidential
-- kind    note
-- each    mapped_columns
-- reads   person_records  one row per person
-- where   {persons} [{column}]
-- problem {n} record(s) whose value counts as another one, by map, null or other in [{table}]
-- fix     change these keys if they should count as they are
-- params  {{ mapped_column }}  the column that says whether it does
-- source  tabulation.md section 2.1
-- why     The parameters say what these values count as, so this is no problem. How many there are depends on the
--         records, and stands in the confidential log alone. Where nothing is mapped no file is read.
select
    person_records.person_file,
    person_records.person_row
from person_records
where person_records.{{ mapped_column | quoted }}
