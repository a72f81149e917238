-- persons_outside_universe: records that are outside the universe of the parameters.
--
-- zone    confidential
-- kind    note
-- each    stated_universes
-- reads   person_universe  one row per record
-- where   {persons} [{universe}]
-- problem {n} record(s) outside the universe that the parameters state: none of them is counted
-- fix     change unit.where if they should be counted
-- source  tabulation.md section 2.1
-- why     No problem: the number is in the confidential log, where the custodian sees it.
select
    person_universe.person_file,
    person_universe.person_row
from person_universe
where not person_universe.is_inside
