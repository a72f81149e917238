-- group_finest_cells: exact counts by finest cell of the population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   unit_finest_cells  one row per counting unit, iteration, finest cell with people and slice of geo units
--         unit_groups        one row per counting unit, population group and stat level
-- writes  one row per population group, stat level and finest cell with people
--           population_group_id  bigint    key of the group
--           stat_level           tinyint   1 age4, 2 age9, 3 age23
--           finest_position      utinyint  key of finest_cells: sex and age
--           exact_count          bigint    persons, >= 1
-- drops   unit_groups
-- seconds 20
-- source  paper Algorithm 2, lines 20-31
select
    unit_groups.population_group_id,
    unit_groups.stat_level,
    unit_finest_cells.finest_position,
    cast(sum(unit_finest_cells.exact_count) as bigint) as exact_count
from unit_finest_cells
inner join unit_groups
    on
        unit_finest_cells.unit_id = unit_groups.unit_id
        and unit_finest_cells.iteration_id = unit_groups.iteration_id
group by
    unit_groups.population_group_id,
    unit_groups.stat_level,
    unit_finest_cells.finest_position
