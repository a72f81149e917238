-- merged_rows: how many totals the parts of the records gave, and of how many population groups.
--
-- zone    confidential
-- reads   slice_totals  one row per part of the records, and population group with people there
-- writes  one row
--           totals  bigint  totals of all parts
--           groups  bigint  population groups with people
-- source  none
-- why     Where people are in no order, each part has people of nearly every group, and merging takes many times as
--         long: the confidential log tells.
select
    count(*) as totals,
    count(distinct slice_totals.population_group_id) as groups
from slice_totals
