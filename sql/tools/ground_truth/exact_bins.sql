-- exact_bins: how many people of each population group are of each sex and age bin, and of each sex.
--
-- zone    confidential
-- reads   group_cells      one row per population group, stat level and sex-by-age cell with people
--         statistic_cells  one row per stat level, sex and age bin
-- writes  one row per population group, sex and age bin with people, all ages included
--           population_group_id  bigint   key of the group
--           sex                  tinyint  1 male, 2 female
--           age_start            tinyint  first age of the bin, years; NULL for all ages
--           age_end              tinyint  last age of the bin, years; NULL for all ages
--           exact_count          bigint   persons, >= 1
-- source  evaluation.md section 1
-- why     A bin that two statistics share has one row: both have the same count.
select
    group_cells.population_group_id,
    statistic_cells.sex,
    statistic_cells.age_start,
    statistic_cells.age_end,
    max(group_cells.exact_count) as exact_count
from group_cells
inner join statistic_cells
    on
        group_cells.stat_level = statistic_cells.stat_level
        and group_cells.cell_position = statistic_cells.cell_position
group by
    group_cells.population_group_id,
    statistic_cells.sex,
    statistic_cells.age_start,
    statistic_cells.age_end
union all
select
    group_cells.population_group_id,
    statistic_cells.sex,
    null as age_start,
    null as age_end,
    cast(sum(group_cells.exact_count) as bigint) as exact_count
from group_cells
inner join statistic_cells
    on
        group_cells.stat_level = statistic_cells.stat_level
        and group_cells.cell_position = statistic_cells.cell_position
where group_cells.stat_level = 1
group by group_cells.population_group_id, statistic_cells.sex
