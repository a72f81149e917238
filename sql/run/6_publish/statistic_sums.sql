-- statistic_sums: the rows of the ladder that add up several measured cells.
--
-- zone    public
-- writes  one row per stat level, row that is a sum, and cell in it
--           stat_level     tinyint  0 a total, 1 the coarsest table, ...
--           cell_position  integer  0, 1, ... within the stat level, first attribute slowest
--           row_id         integer  key of ladder_rows
-- params  $summed_stat_levels  bigint[]  stat level of each row
--         $summed_cells        bigint[]  cell of each, in the same order
--         $summed_rows         bigint[]  row of each
-- source  tabulation.md sections 5 and 6.3
with listed_cells as (
    select
        unnest(cast($summed_stat_levels as bigint[])) as stat_level,
        unnest(cast($summed_cells as bigint[])) as cell_position,
        unnest(cast($summed_rows as bigint[])) as row_id
)

select
    cast(listed_cells.stat_level as tinyint) as stat_level,
    cast(listed_cells.cell_position as integer) as cell_position,
    cast(listed_cells.row_id as integer) as row_id
from listed_cells
