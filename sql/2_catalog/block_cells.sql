-- block_cells: the cell each block lies in.
--
-- zone    public
-- reads   block_regions  one row per block
--         cells          one row per distinct combination of regions
-- writes  one row per block
--           block_key  bigint   key of blocks
--           cell_id    integer  key of cells
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
select
    block_regions.block_key,
    cells.cell_id
from block_regions
inner join cells
    on
        true
        {%- for region_type in region_types %}
        and block_regions."{{ region_type.name }}" is not distinct from cells."{{ region_type.name }}"
        {%- endfor %}
