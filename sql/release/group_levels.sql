-- group_levels: the population group level of the published groups of a ladder, by region type and iteration.
--
-- zone    published
-- reads   group_index  one row per population group with a published count
-- writes  one row per region type and characteristic iteration with a published count
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
--           level_name      varchar  such as COUNTY-2
--           is_total_only   boolean  whether its groups could get a total and nothing else
-- params  $table_name  varchar  the ladder
-- source  tabulation.md section 7.2
-- why     Rows name a region type and an iteration; these say their level, and the level says the law of their noise.
select distinct
    group_index.REGION_TYPE as region_type,
    group_index.ITERATION_CODE as iteration_code,
    group_index.LEVEL as level_name,
    group_index.IS_TOTAL_ONLY as is_total_only
from group_index
where group_index.LADDER = $table_name
