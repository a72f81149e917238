-- broad_geo_unit_regions: the broad regions that each broad geo unit lies in.
--
-- zone    public
-- reads   broad_geo_units  one row per geo unit that lies in a broad region
-- writes  one row per broad geo unit and broad region it lies in
--           broad_geo_unit_id  integer  key of broad_geo_units
--           region_key         integer  key of regions
-- source  tabulation.md section 3
with distinct_geo_units as (
    -- one row per broad geo unit
    select distinct
        broad_geo_units.broad_geo_unit_id,
        broad_geo_units.region_keys
    from broad_geo_units
)

select
    distinct_geo_units.broad_geo_unit_id,
    unnest(distinct_geo_units.region_keys) as region_key
from distinct_geo_units
