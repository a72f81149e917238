-- regions: every region of every tabulated region type, people or not.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
-- writes  one row per region
--           region_key   integer  1, 2, ... by region type, then region id
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
with named_regions as (
    unpivot geo_units
    on
        {{ region_types | of }}
    into name region_type value region_id
),

distinct_regions as (
    -- one row per region
    select distinct
        named_regions.region_type,
        named_regions.region_id
    from named_regions
)

select
    cast(
        row_number() over (order by distinct_regions.region_type, distinct_regions.region_id) as integer
    ) as region_key,
    distinct_regions.region_type,
    distinct_regions.region_id
from distinct_regions
