-- geo_unit_regions: the regions each geo unit lies in.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
--         regions    one row per region
-- writes  one row per geo unit and region it lies in
--           geo_unit_id  integer  key of geo_units
--           region_key   integer  key of regions
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
with named_regions as (
    unpivot geo_units
    on
        {{ region_types | of }}
    into name region_type value region_id
)

select
    named_regions.geo_unit_id,
    regions.region_key
from named_regions
inner join regions
    on
        named_regions.region_type = regions.region_type
        and named_regions.region_id = regions.region_id
