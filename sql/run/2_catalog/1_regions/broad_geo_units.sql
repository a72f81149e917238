-- broad_geo_units: the broad geo unit that each geo unit belongs to.
--
-- zone    public
-- reads   geo_units         one row per distinct combination of regions
--         geo_unit_regions  one row per geo unit and region it lies in
--         region_breadth    one row per region
-- writes  one row per geo unit that lies in a broad region
--           geo_unit_id        integer    key of geo_units
--           broad_geo_unit_id  integer    above geo_unit_id; geo units in the same broad regions share it
--           region_keys        integer[]  the keys of those regions, sorted
-- source  tabulation.md section 3
with geo_unit_region_lists as (
    -- one row per geo unit that lies in a broad region
    select
        geo_unit_regions.geo_unit_id,
        list(geo_unit_regions.region_key order by geo_unit_regions.region_key) as region_keys
    from geo_unit_regions
    inner join region_breadth on geo_unit_regions.region_key = region_breadth.region_key
    where region_breadth.is_broad
    group by geo_unit_regions.geo_unit_id
)

select
    geo_unit_region_lists.geo_unit_id,
    cast(
        (select count(*) from geo_units) + dense_rank() over (order by geo_unit_region_lists.region_keys) as integer
    ) as broad_geo_unit_id,
    geo_unit_region_lists.region_keys
from geo_unit_region_lists
