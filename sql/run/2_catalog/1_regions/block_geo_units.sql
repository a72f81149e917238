-- block_geo_units: the geo unit each block lies in.
--
-- zone    public
-- reads   area_regions  one row per area of the parts that are run
--         geo_units     one row per distinct combination of regions
-- writes  one row per block of the parts that are run
--           block_key    bigint   the codes of its place as one number, or as text
--           geo_unit_id  integer  key of geo_units
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
-- why     A block is the finest place that a record can name.
select
    unnest(area_regions.block_key) as block_key,
    geo_units.geo_unit_id
from area_regions
inner join geo_units
    on
        {{ region_types | equal("area_regions", "geo_units", "is not distinct from") }}
