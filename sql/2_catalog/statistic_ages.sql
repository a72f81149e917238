-- statistic_ages: the sex-by-age cell that each sex and single year of age falls in.
--
-- zone    public
-- reads   statistic_cells  one row per stat level, sex and age bin
-- writes  one row per stat level, sex and year of age
--           stat_level     tinyint   1 age4, 2 age9, 3 age23
--           sex            utinyint  1 male, 2 female
--           age            utinyint  years, 0 to 115
--           cell_position  integer   key of statistic_cells within the stat level
-- source  tabulation.md section 5
-- why     Counting joins people to bins by equality, not by range.
select
    statistic_cells.stat_level,
    cast(statistic_cells.sex as utinyint) as sex,
    cast(unnest(range(statistic_cells.age_start, statistic_cells.age_end + 1)) as utinyint) as age,
    statistic_cells.cell_position
from statistic_cells
