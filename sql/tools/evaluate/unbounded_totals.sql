-- unbounded_totals: how many people each population group has, however many records a person has.
--
-- zone    confidential
-- reads   group_totals  one row per population group with people
-- writes  one row per population group with people or records
--           population_group_id  bigint  first id of its region and level + iteration position
--           exact_count          bigint  persons, or records, >= 1
-- source  evaluation.md section 2.6
-- why     A copy of the totals that were counted without a bound, before they are counted with one.
select
    group_totals.population_group_id,
    group_totals.exact_count
from group_totals
