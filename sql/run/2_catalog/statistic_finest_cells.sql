-- statistic_finest_cells: the cell of each statistic that each finest cell belongs to.
--
-- zone    public
-- reads   statistic_cells  one row per stat level, sex and age bin
--         finest_cells     one row per sex and finest age bin
-- writes  one row per stat level and finest cell
--           stat_level       tinyint   1 age4, 2 age9, 3 age23
--           finest_position  utinyint  key of finest_cells
--           cell_position    integer   key of statistic_cells within the stat level
-- source  tabulation.md section 5
select
    statistic_cells.stat_level,
    finest_cells.finest_position,
    statistic_cells.cell_position
from statistic_cells
inner join finest_cells
    on
        statistic_cells.sex = finest_cells.sex
        and finest_cells.age_start between statistic_cells.age_start and statistic_cells.age_end
