-- measurements: the stage-1 totals of published groups, and estimates of true totals that use both stages.
--
-- zone    published
-- reads   noisy_measurements    one row per published group whose stage-1 total is published
--         level_sizes           one row per population group level
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
-- writes  one row per published group that had a stage 1
--           REGION_ID         varchar  code of the region
--           REGION_TYPE       varchar  name of the region type
--           ITERATION_CODE    varchar  code of the characteristic iteration
--           STAGE_1           bigint   noisy total that picked the table of the group, {records}
--           STAGE_1_VARIANCE  double   of the noise in STAGE_1, {records} squared
--           ESTIMATE          double   of the true total, from both stages, {records}
--           LOW95             bigint   lower end of the 95 % interval of the true total, {records}
--           HIGH95            bigint   upper end of the 95 % interval of the true total, {records}
-- source  accuracy.md section 4
-- why     Written where the parameters say publish_stage_1.
with placed_groups as (
    -- one row per published group whose stage-1 total is published
    select
        noisy_measurements.level_id,
        noisy_measurements.population_group_id,
        (
            (noisy_measurements.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position,
        noisy_measurements.stage_1,
        noisy_measurements.stage_1_variance,
        noisy_measurements.estimate,
        noisy_measurements.low95,
        noisy_measurements.high95
    from noisy_measurements
    inner join level_sizes on noisy_measurements.level_id = level_sizes.level_id
)

select
    published_regions.region_id as REGION_ID,
    published_regions.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    placed_groups.stage_1 as STAGE_1,
    placed_groups.stage_1_variance as STAGE_1_VARIANCE,
    placed_groups.estimate as ESTIMATE,
    placed_groups.low95 as LOW95,
    placed_groups.high95 as HIGH95
from placed_groups
inner join published_iterations
    on
        placed_groups.level_id = published_iterations.level_id
        and placed_groups.iteration_position = published_iterations.iteration_position
inner join published_regions
    on
        placed_groups.level_id = published_regions.level_id
        and (
            placed_groups.population_group_id - placed_groups.iteration_position
            = published_regions.first_population_group_id
        )
order by
    published_regions.region_key,
    published_iterations.iteration_id
