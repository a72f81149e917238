-- group_finest_cells: exact counts by finest cell of the population groups with a table.
--
-- zone    confidential
-- kind    slices
-- reads   unit_finest_cells  one row per counting unit, tally of a table, finest cell with people and slice of people
--         unit_groups        one row per counting unit of a range, tally and population group with a table
-- writes  one row per population group, finest cell with people and range of counting units
--           population_group_id  bigint     key of the group
--           finest_position      usmallint  key of finest_values, such as sex and age
--           exact_count          bigint     persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
--         $first_unit_id  integer  first counting unit of the range
--         $end_unit_id    integer  the unit after the last one
-- seconds 12
-- source  paper Algorithm 2, lines 20-31
select
    unit_groups.population_group_id,
    unit_finest_cells.finest_position,
    cast(sum(unit_finest_cells.exact_count) as bigint) as exact_count,
    {{ amounts | summed("unit_finest_cells") }}
from unit_finest_cells
inner join unit_groups
    on
        unit_finest_cells.unit_id = unit_groups.unit_id
        and unit_finest_cells.tally_id = unit_groups.tally_id
where
    unit_finest_cells.unit_id >= $first_unit_id
    and unit_finest_cells.unit_id < $end_unit_id
group by unit_groups.population_group_id, unit_finest_cells.finest_position
