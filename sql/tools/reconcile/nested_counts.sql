-- nested_counts: the independent noisy counts of the published groups.
--
-- zone    published
-- reads   released_totals  one row per population group with a published count
--         t2               one row per population group and cell of its table
--         nested_groups    one row per population group with a published count
--         statistic_cells  one row per stat level and measured cell
-- writes  one row per published group without a table, and one per cell of groups with a table
--           group_id       bigint   key of nested_groups
--           cell_position  integer  key of statistic_cells within the stat level; 0 for a total alone
--           noisy_count    bigint   persons; may be negative
-- params  {{ ladder_columns }}  name of each published column
-- source  tabulation.md section 6.3
-- why     Totals of groups with a table, and published sums of cells, add no information.
select
    nested_groups.group_id,
    0 as cell_position,
    released_totals.COUNT as noisy_count
from nested_groups
inner join released_totals
    on
        nested_groups.region_type = released_totals.REGION_TYPE
        and nested_groups.region_id = released_totals.REGION_ID
        and nested_groups.iteration_code = released_totals.ITERATION_CODE
where nested_groups.stat_level = 0
union all
select
    nested_groups.group_id,
    statistic_cells.cell_position,
    t2.COUNT as noisy_count
from nested_groups
inner join t2
    on
        nested_groups.region_type = t2.REGION_TYPE
        and nested_groups.region_id = t2.REGION_ID
        and nested_groups.iteration_code = t2.ITERATION_CODE
inner join statistic_cells
    on
        nested_groups.stat_level = statistic_cells.stat_level
        and nested_groups.stat_level > 0
        and {{ ladder_columns | equal("t2", "statistic_cells") }}
