-- cell_regions: the regions each cell lies in.
--
-- zone    public
-- reads   cells    one row per distinct combination of regions
--         regions  one row per region
-- writes  one row per cell and region it lies in
--           cell_id     integer  key of cells
--           region_key  integer  key of regions
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
with named_regions as (
    unpivot cells
    on
        {%- for region_type in region_types %}
        "{{ region_type.name }}",
        {%- endfor %}
    into name region_type value region_id
)

select
    named_regions.cell_id,
    regions.region_key
from named_regions
inner join regions
    on
        named_regions.region_type = regions.region_type
        and named_regions.region_id = regions.region_id
