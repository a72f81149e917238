-- tabulated_regions: every region of the exact tables, people or not.
--
-- zone    public
-- reads   levels   one row per population group level
--         regions  one row per region
-- writes  one row per region
--           REGION_TYPE  varchar  name of the region type
--           REGION_ID    varchar  code of the region
-- source  evaluation.md section 1
select
    regions.region_type as REGION_TYPE,
    regions.region_id as REGION_ID
from regions
semi join levels on regions.region_type = levels.region_type
order by regions.region_type, regions.region_id
