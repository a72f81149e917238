-- bounded_persons: the persons whose records are not all counted as they are.
--
-- zone    confidential
-- reads   person_numbers  one row per person
-- writes  one row per person with more records than are counted as they are
--           person_key  varchar  the person, in the type of its column
-- params  $records_as_they_are  integer  a person with at most so many records is counted record by record
-- source  tabulation.md section 4.4
-- why     Records are counted before any is sorted: only these persons need an order of their records. Records that
--         cannot be counted may make a person one of these; they are gone before the bound is applied.
select person_numbers.person_key
from person_numbers
group by person_numbers.person_key
having count(*) > $records_as_they_are
