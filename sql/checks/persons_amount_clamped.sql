-- persons_amount_clamped: people whose amount is smaller or larger than what a record adds to a sum.
--
-- zone    confidential
-- kind    note
-- each    clamped_amounts
-- reads   person_records  one row per person
-- where   {persons} [{column}]
-- problem {n} record(s) whose {column} is outside {clamp}: {ladder} adds the nearer of the two ends
-- fix     choose another clamp if these are too many: a wider one needs more noise
-- params  {{ amount }}  name of the amount, and the least and the most that a record adds
-- source  tabulation.md section 5.9
-- why     It follows from the records, so nothing published may depend on it: it is in the confidential log alone.
select
    person_records.person_file,
    person_records.person_row
from person_records
where person_records.{{ amount.name | quoted }} not between {{ amount.least }} and {{ amount.most }}
