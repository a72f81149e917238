-- groups_cut: how often a person is not counted in a group because of the bound of groups, by level.
--
-- zone    confidential
-- kind    slices
-- reads   person_groups  one row per person, region and iteration
-- writes  one row per population group level with such a group, and bucket
--           level_id   integer  key of levels
--           group_count  bigint   persons and groups in which they do not count
-- source  tabulation.md section 4.4
-- why     The confidential log tells, and nothing else.
select
    person_groups.level_id,
    count(*) as group_count
from person_groups
where not person_groups.is_counted
group by person_groups.level_id
