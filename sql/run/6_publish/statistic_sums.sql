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
select
    unnest(cast($summed_stat_levels as tinyint[])) as stat_level,
    unnest(cast($summed_cells as integer[])) as cell_position,
    unnest(cast($summed_rows as integer[])) as row_id
