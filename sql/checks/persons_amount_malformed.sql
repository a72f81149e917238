-- persons_amount_malformed: people with an amount that is missing, no whole number, or too large.
--
-- zone    confidential
-- kind    screened
-- each    amounts
-- reads   person_records  one row per person
-- where   {persons} [{column}]
-- problem {n} record(s) whose {column}, which {ladder} adds up, is missing, {no_amount}
-- fix     give every record {an_amount}, 0 where there is nothing to add, or leave such records out of all tables:
--         {leave}
-- params  {{ amount }}  name of its column, of the amount, and of the amount as it is written
-- source  tabulation.md section 5.9
select
    person_records.person_file,
    person_records.person_row,
    {{ amount.column | literal }} as column_name,
    person_records.{{ amount.given | quoted }} as given_value
from person_records
where person_records.{{ amount.name | quoted }} is null
