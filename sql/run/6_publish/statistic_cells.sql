-- statistic_cells: the row of each measured cell of the ladder.
--
-- zone    public
-- reads   ladder_rows  one row per combination of published codes
-- writes  one row per stat level and measured cell
--           stat_level     tinyint  0 a total, 1 the coarsest table, ...
--           cell_position  integer  0, 1, ... within the stat level, first attribute slowest
--           row_id         integer  key of ladder_rows
--           {{ ladder_columns }}  varchar  the published code of each column
-- params  {{ ladder_columns }}    name of each published column
--         $measured_stat_levels  bigint[]  stat level of each row
--         $measured_cells        bigint[]  cell of each, in the same order
--         $measured_rows         bigint[]  row of each
-- source  tabulation.md sections 5 and 6.3
with listed_cells as (
    select
        unnest(cast($measured_stat_levels as tinyint[])) as stat_level,
        unnest(cast($measured_cells as integer[])) as cell_position,
        unnest(cast($measured_rows as integer[])) as measured_row
)

select
    listed_cells.stat_level,
    listed_cells.cell_position,
    ladder_rows.row_id,
    {{ ladder_columns | of("ladder_rows") }}
from listed_cells
inner join ladder_rows on listed_cells.measured_row = ladder_rows.row_id
