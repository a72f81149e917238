-- merged_rows: how many totals the parts of the records gave, and of how many population groups.
--
-- zone    confidential
-- reads   slice_totals  one row per population group, tally with people and slice of people
-- writes  one row per run in parts
--           total_rows   bigint  rows of slice_totals, those of all parts
--           group_count  bigint  population groups with people
-- source  tabulation.md section 5
-- why     Where people are in no order, each part has people of nearly every group, and merging takes many times as
--         long: the confidential log tells.
select
    count(*) as total_rows,
    count(distinct slice_totals.population_group_id) as group_count
from slice_totals
