-- region_totals: how many persons who count once in a group each population group has.
--
-- zone    confidential
-- reads   region_finest_cells  one row per region, iteration and finest cell with people
--         iteration_tallies    one row per iteration and tally
--         level_regions        one row per population group level and region
--         level_iterations     one row per population group level and iteration it tabulates
-- writes  one row per population group with such persons
--           population_group_id  bigint   first id of its region and level + iteration position
--           exact_count          integer  persons, >= 1
-- source  tabulation.md section 4.4
-- why     Added to slice_totals.
select
    level_regions.first_population_group_id + level_iterations.iteration_position as population_group_id,
    cast(sum(region_finest_cells.exact_count) as integer) as exact_count
from region_finest_cells
inner join iteration_tallies on region_finest_cells.tally_id = iteration_tallies.tally_id
inner join level_regions on -region_finest_cells.unit_id = level_regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and iteration_tallies.iteration_id = level_iterations.iteration_id
group by population_group_id
