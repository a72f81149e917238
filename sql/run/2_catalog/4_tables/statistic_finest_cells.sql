-- statistic_finest_cells: the cell of each statistic that each finest cell belongs to.
--
-- zone    public
-- writes  one row per statistic and finest cell
--           statistic_id     smallint   1, 2, ...: ladder by ladder, coarse to fine
--           finest_position  usmallint  key of finest_values
--           cell_position    integer    key of statistic_cells within the statistic
-- params  $statistic_ids     bigint[]  statistic of each row
--         $finest_positions  bigint[]  finest cell of each, in the same order
--         $cell_positions    bigint[]  cell of each
-- source  tabulation.md section 5
select
    unnest(cast($statistic_ids as smallint[])) as statistic_id,
    unnest(cast($finest_positions as usmallint[])) as finest_position,
    unnest(cast($cell_positions as integer[])) as cell_position
