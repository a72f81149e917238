-- unit_regions: the counting units whose people each region adds up.
--
-- zone    public
-- reads   geo_unit_regions  one row per geo unit and region it lies in
--         region_breadth    one row per region
--         broad_geo_units   one row per geo unit that lies in a broad region
-- writes  one row per counting unit and region that adds it up
--           unit_id     integer  key of geo_units, or of broad_geo_units
--           region_key  integer  key of regions
-- source  none: the way a region is counted changes the time it takes, never the count
-- why     A counting unit is a geo unit, or all geo units that lie in the same broad regions. A broad region adds up
--         these few, every other its geo units, and no later statement has to tell them apart.
select
    geo_unit_regions.geo_unit_id as unit_id,
    geo_unit_regions.region_key
from geo_unit_regions
inner join region_breadth on geo_unit_regions.region_key = region_breadth.region_key
where not region_breadth.is_broad
union all
select distinct
    broad_geo_units.broad_geo_unit_id as unit_id,
    unnest(broad_geo_units.region_keys) as region_key
from broad_geo_units
