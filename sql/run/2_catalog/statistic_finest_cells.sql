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
with listed_cells as (
    select unnest(
        list_zip(
            cast($statistic_ids as bigint[]),
            cast($finest_positions as bigint[]),
            cast($cell_positions as bigint[])
        )
    ) as cell_fields
)

select
    cast(listed_cells.cell_fields[1] as smallint) as statistic_id,
    cast(listed_cells.cell_fields[2] as usmallint) as finest_position,
    cast(listed_cells.cell_fields[3] as integer) as cell_position
from listed_cells
