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
    select unnest(
        list_zip(
            cast($summed_stat_levels as bigint[]),
            cast($summed_cells as bigint[]),
            cast($summed_rows as bigint[])
        )
    ) as cell_fields
)

select
    cast(listed_cells.cell_fields[1] as tinyint) as stat_level,
    cast(listed_cells.cell_fields[2] as integer) as cell_position,
    cast(listed_cells.cell_fields[3] as integer) as row_id
from listed_cells
