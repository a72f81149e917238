-- group_cells: exact sex-by-age counts of the population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   group_finest_cells      one row per population group, stat level and finest cell with people
--         statistic_finest_cells  one row per stat level and finest cell
-- writes  one row per population group, stat level and sex-by-age cell with people
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           cell_position        integer  key of statistic_cells within the stat level
--           exact_count          bigint   persons, >= 1
-- source  paper Algorithm 2, lines 20-31
-- why     Cells without people have no row here and get a count of zero when noise is added: the rows of this table
--         must never decide which rows are published. Finest cells are summed before they are joined to the bins of a
--         statistic: in one join with the people, the engine would repeat one side for all three statistics first.
select
    group_finest_cells.population_group_id,
    group_finest_cells.stat_level,
    statistic_finest_cells.cell_position,
    cast(sum(group_finest_cells.exact_count) as bigint) as exact_count
from group_finest_cells
inner join statistic_finest_cells
    on
        group_finest_cells.stat_level = statistic_finest_cells.stat_level
        and group_finest_cells.finest_position = statistic_finest_cells.finest_position
group by
    group_finest_cells.population_group_id,
    group_finest_cells.stat_level,
    statistic_finest_cells.cell_position
