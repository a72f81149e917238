-- bounded_persons: the persons whose records are not all counted as they are.
--
-- zone    confidential
-- reads   countable_records  one row per record of the universe that has a geo unit and listed values
-- writes  one row per person with more records than are counted as they are
--           person_key  varchar  the person, in the type of its column
--           records     bigint   countable records of the person
-- params  $records_as_they_are  integer  a person with at most so many records is counted record by record
-- source  tabulation.md section 4.4
-- why     Records are counted before any is sorted: only these persons need an order of their records.
select
    countable_records.person_key,
    count(*) as records
from countable_records
group by countable_records.person_key
having count(*) > $records_as_they_are
