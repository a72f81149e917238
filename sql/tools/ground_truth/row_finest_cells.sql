-- row_finest_cells: the finest cells that each row of the ladder adds up, without the total.
--
-- zone    public
-- writes  one row per published row and finest cell in it
--           row_id           integer    key of ladder_rows
--           finest_position  usmallint  key of finest_values
-- params  $held_rows              bigint[]  row of each
--         $held_finest_positions  bigint[]  finest cell of each, in the same order
-- source  tabulation.md section 5
select
    unnest(cast($held_rows as integer[])) as row_id,
    unnest(cast($held_finest_positions as usmallint[])) as finest_position
