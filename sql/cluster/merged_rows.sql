-- merged_rows: how many totals the parts of the records gave for one population group in 61, and of how many of these.
--
-- zone    confidential
-- reads   slice_totals  one row per population group, tally with people and slice of people
-- writes  one row per run in parts
--           total_rows   bigint  rows of slice_totals of these groups, of all parts
--           group_count  bigint  these groups, as far as they have people
-- source  tabulation.md section 5
-- why     Where people are in no order, each part has people of nearly every group, and merging takes many times as
--         long: the confidential log tells. To count all groups would take a third as long as merging; 61 is a prime,
--         so that the groups are of all iterations.
select
    count(*) as total_rows,
    count(distinct slice_totals.population_group_id) as group_count
from slice_totals
where slice_totals.population_group_id % 61 = 0
