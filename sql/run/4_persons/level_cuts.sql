-- level_cuts: how often a person is not counted in a group because of the bound of groups, by level of the whole run.
--
-- zone    confidential
-- reads   groups_cut  one row per population group level with such a group, and bucket
--         levels      one row per population group level
-- writes  one row per population group level with such a group
--           level_name   varchar  region type and iteration level, such as COUNTY-2
--           group_count  bigint   persons and groups in which they do not count
-- source  tabulation.md section 4.4
-- why     The confidential log tells, and nothing else.
select
    levels.level_name,
    cast(sum(groups_cut.group_count) as bigint) as group_count
from groups_cut
inner join levels on groups_cut.level_id = levels.level_id
group by levels.level_name
