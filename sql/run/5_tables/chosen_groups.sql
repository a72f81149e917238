-- chosen_groups: the population groups that get a table, in any ladder.
--
-- zone    confidential
-- reads   stat_levels       one row per ladder and population group with a table; filled by the mechanisms
--         level_sizes       one row per population group level
--         level_regions     one row per population group level and region
--         level_iterations  one row per population group level and iteration it tabulates
-- writes  one row per population group with a table
--           population_group_id  bigint   key of the group
--           region_key           integer  key of regions
--           iteration_id         integer  key of iterations
-- source  paper Algorithm 2, lines 18-31
-- why     The number of each group is turned back into its region and its iteration.
with located_groups as (
    -- one row per population group with a table
    select distinct
        stat_levels.population_group_id,
        stat_levels.level_id,
        (
            (stat_levels.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position
    from stat_levels
    inner join level_sizes on stat_levels.level_id = level_sizes.level_id
)

select
    located_groups.population_group_id,
    level_regions.region_key,
    level_iterations.iteration_id
from located_groups
inner join level_iterations
    on
        located_groups.level_id = level_iterations.level_id
        and located_groups.iteration_position = level_iterations.iteration_position
inner join level_regions
    on
        located_groups.level_id = level_regions.level_id
        and (
            located_groups.population_group_id - located_groups.iteration_position
            = level_regions.first_population_group_id
        )
