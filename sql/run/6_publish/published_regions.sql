-- published_regions: the names of regions, by the number of their first population group at each level.
--
-- zone    public
-- reads   levels         one row per population group level
--         level_regions  one row per population group level and region
--         regions        one row per region
-- writes  one row per population group level and region
--           level_id                   integer  key of levels
--           first_population_group_id  bigint   id of the first population group of this region and level
--           level_name                 varchar  such as COUNTY-2
--           region_key                 integer  key of regions, in the order of region type and id
--           region_type                varchar  USA, STATE, COUNTY, ...
--           region_id                  varchar  e.g. 44007 for a county
-- source  tabulation.md sections 1 and 7
-- why     The number of each published group is turned back into its region and its iteration: its place among the
--         iterations of its level is what remains when the groups of the regions before it are taken away. A level
--         without iterations has no groups, and shares its first number with the next level.
select
    level_regions.level_id,
    level_regions.first_population_group_id,
    levels.level_name,
    regions.region_key,
    levels.region_type,
    regions.region_id
from level_regions
inner join levels on level_regions.level_id = levels.level_id
inner join regions on level_regions.region_key = regions.region_key
