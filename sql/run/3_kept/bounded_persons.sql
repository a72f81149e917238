-- bounded_persons: the persons with more records than are counted.
--
-- zone    confidential
-- reads   person_numbers  one row per person
-- writes  one row per person with more records than are counted
--           person_key  varchar  the person, in the type of its column
-- params  $most_records  integer  at most so many records of a person are kept
-- source  tabulation.md section 4.4
-- why     Records are counted before any is sorted: only these persons need an order of their records. Records that
--         cannot be counted may make a person one of these; they are gone before the bound is applied.
select person_numbers.person_key
from person_numbers
group by person_numbers.person_key
having count(*) > $most_records
