-- published_groups: the names of the population groups that have a published count.
--
-- zone    published
-- reads   noisy_totals      one row per published noisy total; filled by the mechanisms
--         noisy_cells       one row per published noisy cell; filled by the mechanisms
--         levels            one row per population group level
--         level_sizes       one row per population group level
--         level_regions     one row per population group level and region
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         regions           one row per region
--         iterations        one row per characteristic iteration of level 1 or 2
-- writes  one row per population group with a published count
--           population_group_id  bigint   key of the group
--           level_id             integer  key of levels
--           region_key           integer  key of regions, in the order of region type and id
--           iteration_id         integer  key of iterations, in the order of the codes
--           is_total_only        boolean  the paper's TotalOnly
--           region_type          varchar  USA, STATE, COUNTY, ...
--           region_id            varchar  e.g. 44007 for a county
--           iteration_code       varchar  characteristic iteration, 4 digits
-- params  $ladder_id  integer  the ladder that is published
-- source  tabulation.md section 7
-- why     The number of each group is turned back into its region and its iteration. Published rows are sorted by their
--         keys: sorting by their texts would take longer than the rest.
with numbered_groups as (
    -- one row per population group with a published count
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id
    from noisy_totals
    union
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id
    from noisy_cells
),

located_groups as (
    -- one row per population group with a published count
    select
        numbered_groups.level_id,
        numbered_groups.population_group_id,
        (
            (numbered_groups.population_group_id - level_sizes.first_population_group_id)
            % level_sizes.iterations
        ) as iteration_position
    from numbered_groups
    inner join level_sizes on numbered_groups.level_id = level_sizes.level_id
)

select
    located_groups.population_group_id,
    located_groups.level_id,
    regions.region_key,
    iterations.iteration_id,
    ladder_iterations.is_total_only,
    levels.region_type,
    regions.region_id,
    iterations.iteration_code
from located_groups
inner join levels on located_groups.level_id = levels.level_id
inner join ladder_iterations
    on
        located_groups.level_id = ladder_iterations.level_id
        and located_groups.iteration_position = ladder_iterations.iteration_position
        and ladder_iterations.ladder_id = $ladder_id
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
inner join level_regions
    on
        located_groups.level_id = level_regions.level_id
        and (
            located_groups.population_group_id - located_groups.iteration_position
            = level_regions.first_population_group_id
        )
inner join regions on level_regions.region_key = regions.region_key
