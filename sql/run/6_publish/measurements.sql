-- measurements: the stage-1 totals of published groups, and estimates of true totals that use both stages.
--
-- zone    published
-- reads   noisy_measurements  one row per published group whose stage-1 total is published
--         published_groups    one row per population group with a published count
-- writes  one row per published group that had a stage 1
--           REGION_ID         varchar  e.g. 44007 for a county
--           REGION_TYPE       varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE    varchar  characteristic iteration, 4 digits
--           STAGE_1           bigint   noisy total that picked the table of the group, persons
--           STAGE_1_VARIANCE  double   of the noise in STAGE_1, persons squared
--           ESTIMATE          double   of the true total, from both stages, persons
--           LOW95             bigint   lower end of the 95 % interval of the true total, persons
--           HIGH95            bigint   upper end of the 95 % interval of the true total, persons
-- source  accuracy.md section 4
-- why     Written where the parameters say publish_stage_1.
select
    published_groups.region_id as REGION_ID,
    published_groups.region_type as REGION_TYPE,
    published_groups.iteration_code as ITERATION_CODE,
    noisy_measurements.stage_1 as STAGE_1,
    noisy_measurements.stage_1_variance as STAGE_1_VARIANCE,
    noisy_measurements.estimate as ESTIMATE,
    noisy_measurements.low95 as LOW95,
    noisy_measurements.high95 as HIGH95
from noisy_measurements
inner join published_groups
    on noisy_measurements.population_group_id = published_groups.population_group_id
order by
    published_groups.region_key,
    published_groups.iteration_id
