-- level_regions: the regions of each population group level, and the first group number of each region.
--
-- zone    public
-- reads   levels       one row per population group level
--         level_sizes  one row per population group level
--         regions      one row per region
-- writes  one row per population group level and region
--           level_id                   integer  key of levels
--           region_key                 integer  key of regions
--           first_population_group_id  bigint   id of the first population group of this region and level
-- source  tabulation.md section 1
select
    levels.level_id,
    regions.region_key,
    cast(
        level_sizes.first_population_group_id
        + level_sizes.iterations
        * (row_number() over (partition by levels.level_id order by regions.region_key) - 1)
        as bigint
    ) as first_population_group_id
from levels
inner join level_sizes on levels.level_id = level_sizes.level_id
inner join regions on levels.region_type = regions.region_type
