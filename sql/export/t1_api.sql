-- t1_api: the published totals with the variables of the Census API, table T01001.
--
-- zone    published
-- reads   api_groups  one row per population group with a published count
-- writes  one row per population group with a published count
--           GEO_ID          varchar  region, e.g. 0500000US44007
--           NAME            varchar  name of the region; empty where no file gives names
--           POPGROUP        varchar  characteristic iteration, 4 digits
--           POPGROUP_LABEL  varchar  name of the iteration
--           T01001_001N     bigint   {records}, noisy; may be negative
--           T01001_001M     double   half-width of its 95 % margin of error; empty for sums of counts cut at 0
-- source  tabulation.md section 7 (--format api)
select
    api_groups.geo_id as GEO_ID,
    api_groups.region_name as "NAME",
    api_groups.iteration_code as POPGROUP,
    api_groups.iteration_name as POPGROUP_LABEL,
    api_groups.noisy_count as T01001_001N,
    api_groups.moe95 as T01001_001M
from api_groups
order by api_groups.geo_id, api_groups.iteration_code
