-- block_geo_units: the geo unit each block lies in.
--
-- zone    public
-- reads   block_regions  one row per block
--         geo_units      one row per distinct combination of regions
-- writes  one row per block
--           block_key    bigint   key of blocks
--           geo_unit_id  integer  key of geo_units
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
select
    block_regions.block_key,
    geo_units.geo_unit_id
from block_regions
inner join geo_units
    on
        true
        {%- for region_type in region_types %}
        and block_regions."{{ region_type.name }}" is not distinct from geo_units."{{ region_type.name }}"
        {%- endfor %}
