-- exact_rows: how many people of each population group are in each row of the ladder's table.
--
-- zone    confidential
-- reads   group_finest_cells  one row per population group, finest cell with people and range of counting units
--         row_finest_cells    one row per published row and finest cell in it
--         group_totals        one row per population group with people
--         statistic_cells     one row per stat level and measured cell
-- writes  one row per population group and published row with people
--           population_group_id  bigint   key of the group
--           row_id               integer  key of ladder_rows
--           is_total             boolean  whether the row is the total of the group
--           exact_count          bigint   persons, >= 1
-- params  {{ measure }}  column of what the ladder counts or adds up: exact_count, or an amount
-- source  evaluation.md section 1
-- why     A row that two statistics share is here once. Totals are rows only where they have no folder of their own.
select
    group_finest_cells.population_group_id,
    row_finest_cells.row_id,
    false as is_total,
    cast(sum(group_finest_cells.{{ measure }}) as bigint) as exact_count
from group_finest_cells
inner join row_finest_cells on group_finest_cells.finest_position = row_finest_cells.finest_position
group by group_finest_cells.population_group_id, row_finest_cells.row_id
union all
select
    group_totals.population_group_id,
    statistic_cells.row_id,
    true as is_total,
    group_totals.{{ measure }} as exact_count
from group_totals
inner join statistic_cells on statistic_cells.stat_level = 0
