-- group_cells: exact counts of the cells of every table that a population group gets.
--
-- zone    confidential
-- reads   group_finest_cells      one row per population group, finest cell with people and range of counting units
--         stat_levels             one row per ladder and population group with a table; filled by the mechanisms
--         statistic_finest_cells  one row per statistic and finest cell
-- writes  one row per population group, statistic and cell with people
--           population_group_id  bigint    key of the group
--           statistic_id         smallint  key of statistic_finest_cells
--           cell_position        integer   key of statistic_cells within the statistic
--           exact_count          bigint    persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- source  paper Algorithm 2, lines 20-31
-- why     Cells without people have no row here and get a count of zero when noise is added: the rows of this table
--         must never decide which rows are published. A group is counted by finest cell once, whatever tables it gets,
--         and meets its statistics last: in one join, the engine would first repeat one side for all the people.
select
    group_finest_cells.population_group_id,
    stat_levels.statistic_id,
    statistic_finest_cells.cell_position,
    cast(sum(group_finest_cells.exact_count) as bigint) as exact_count,
    {{ amounts | summed("group_finest_cells") }}
from group_finest_cells
inner join stat_levels on group_finest_cells.population_group_id = stat_levels.population_group_id
inner join statistic_finest_cells
    on
        stat_levels.statistic_id = statistic_finest_cells.statistic_id
        and group_finest_cells.finest_position = statistic_finest_cells.finest_position
group by
    group_finest_cells.population_group_id,
    stat_levels.statistic_id,
    statistic_finest_cells.cell_position
