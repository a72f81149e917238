-- broad_group_cells: exact sex-by-age counts of the broad population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   broad_iterations        one row per broad cell, iteration and finest cell with people
--         broad_cell_regions      one row per broad cell and broad region it lies in
--         chosen_groups           one row per population group with a sex-by-age table
--         statistic_finest_cells  one row per stat level and finest cell
-- writes  one row per broad population group, stat level and sex-by-age cell with people
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           cell_position        integer  key of statistic_cells within the stat level
--           exact_count          bigint   persons, >= 1
-- source  paper Algorithm 2, lines 20-31
-- why     Summed by finest cell first: in one join with the bins of every statistic, the engine multiplies one side
--         by all three of them before it meets the other.
with counted_finest_cells as (
    -- one row per broad population group, stat level and finest cell with people
    select
        chosen_groups.population_group_id,
        chosen_groups.stat_level,
        broad_iterations.finest_position,
        sum(broad_iterations.exact_count) as exact_count
    from broad_iterations
    inner join broad_cell_regions on broad_iterations.broad_cell_id = broad_cell_regions.broad_cell_id
    inner join chosen_groups
        on
            broad_cell_regions.region_key = chosen_groups.region_key
            and broad_iterations.iteration_id = chosen_groups.iteration_id
    group by
        chosen_groups.population_group_id,
        chosen_groups.stat_level,
        broad_iterations.finest_position
)

select
    counted_finest_cells.population_group_id,
    counted_finest_cells.stat_level,
    statistic_finest_cells.cell_position,
    cast(sum(counted_finest_cells.exact_count) as bigint) as exact_count
from counted_finest_cells
inner join statistic_finest_cells
    on
        counted_finest_cells.stat_level = statistic_finest_cells.stat_level
        and counted_finest_cells.finest_position = statistic_finest_cells.finest_position
group by
    counted_finest_cells.population_group_id,
    counted_finest_cells.stat_level,
    statistic_finest_cells.cell_position
