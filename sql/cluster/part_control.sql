-- part_control: control numbers of a part of the records, which tell whether it is the same when it is read again.
--
-- zone    confidential
-- reads   person_numbers  one row per person
-- writes  one row per part of the records
--           records   bigint   its records in the universe
--           hash_sum  varchar  sum of a hash of each of them, of all that is counted of it; a whole number
-- source  tabulation.md section 2.1
-- why     A table that Spark reads has no files whose size and time could be compared, and a view may give other rows
--         each time. A sum does not depend on the order of the rows, which Spark does not promise.
select
    count(*) as records,
    cast(coalesce(sum(hash(person_numbers)), 0) as varchar) as hash_sum
from person_numbers
