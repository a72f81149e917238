-- broad_cell_regions: the broad regions that each broad cell lies in.
--
-- zone    public
-- reads   broad_cells  one row per cell that lies in a broad region
-- writes  one row per broad cell and broad region it lies in
--           broad_cell_id  integer  key of broad_cells
--           region_key     integer  key of regions
-- source  tabulation.md section 3
with distinct_cells as (
    -- one row per broad cell
    select distinct
        broad_cells.broad_cell_id,
        broad_cells.region_keys
    from broad_cells
)

select
    distinct_cells.broad_cell_id,
    unnest(distinct_cells.region_keys) as region_key
from distinct_cells
