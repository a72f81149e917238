-- group_cells: exact sex-by-age counts of the population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   broad_group_cells  one row per broad population group, stat level and sex-by-age cell with people
--         local_group_cells  one row per local population group, stat level and sex-by-age cell with people
-- writes  one row per population group, stat level and sex-by-age cell with people
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           cell_position        integer  key of statistic_cells within the stat level
--           exact_count          bigint   persons, >= 1
-- source  paper Algorithm 2, lines 20-31
-- why     Cells with nobody are absent here and get their zero when noise is added: the rows of this table must
--         never decide which rows are published.
select
    broad_group_cells.population_group_id,
    broad_group_cells.stat_level,
    broad_group_cells.cell_position,
    broad_group_cells.exact_count
from broad_group_cells
union all
select
    local_group_cells.population_group_id,
    local_group_cells.stat_level,
    local_group_cells.cell_position,
    local_group_cells.exact_count
from local_group_cells
