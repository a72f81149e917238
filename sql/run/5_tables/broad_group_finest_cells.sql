-- broad_group_finest_cells: exact counts by finest cell of the broad population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   broad_iterations        one row per broad geo unit, iteration, finest cell with people and slice of geo units
--         broad_geo_unit_regions  one row per broad geo unit and broad region it lies in
--         chosen_groups           one row per population group with a sex-by-age table
-- writes  one row per broad population group, stat level and finest cell with people
--           population_group_id  bigint    key of the group
--           stat_level           tinyint   1 age4, 2 age9, 3 age23
--           finest_position      utinyint  key of finest_cells: sex and age
--           exact_count          bigint    persons, >= 1
-- seconds 5
-- source  paper Algorithm 2, lines 20-31
select
    chosen_groups.population_group_id,
    chosen_groups.stat_level,
    broad_iterations.finest_position,
    cast(sum(broad_iterations.exact_count) as bigint) as exact_count
from broad_iterations
inner join broad_geo_unit_regions on broad_iterations.broad_geo_unit_id = broad_geo_unit_regions.broad_geo_unit_id
inner join chosen_groups
    on
        broad_geo_unit_regions.region_key = chosen_groups.region_key
        and broad_iterations.iteration_id = chosen_groups.iteration_id
group by
    chosen_groups.population_group_id,
    chosen_groups.stat_level,
    broad_iterations.finest_position
