-- place_levels: the levels that have a region at each place.
--
-- zone    public
-- reads   block_geo_units   one row per block
--         geo_unit_regions  one row per geo unit and region it lies in
--         level_regions     one row per population group level and region
-- writes  one row per block and level whose region type has a region there
--           block_key  bigint   key of blocks
--           level_id   integer  key of levels
-- source  evaluation.md section 4
select
    block_geo_units.block_key,
    level_regions.level_id
from block_geo_units
inner join geo_unit_regions on block_geo_units.geo_unit_id = geo_unit_regions.geo_unit_id
inner join level_regions on geo_unit_regions.region_key = level_regions.region_key
