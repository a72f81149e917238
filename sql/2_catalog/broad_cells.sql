-- broad_cells: the pieces of geography that broad regions tell apart.
--
-- zone    public
-- reads   cell_regions    one row per cell and region it lies in
--         region_breadth  one row per region
-- writes  one row per cell that lies in a broad region
--           cell_id        integer    key of cells
--           broad_cell_id  integer    1, 2, ...; cells that lie in the same broad regions share it
--           region_keys    integer[]  those regions, keys of regions, sorted
-- source  tabulation.md section 3
with cell_region_lists as (
    -- one row per cell that lies in a broad region
    select
        cell_regions.cell_id,
        list(cell_regions.region_key order by cell_regions.region_key) as region_keys
    from cell_regions
    inner join region_breadth on cell_regions.region_key = region_breadth.region_key
    where region_breadth.is_broad
    group by cell_regions.cell_id
)

select
    cell_region_lists.cell_id,
    cast(dense_rank() over (order by cell_region_lists.region_keys) as integer) as broad_cell_id,
    cell_region_lists.region_keys
from cell_region_lists
