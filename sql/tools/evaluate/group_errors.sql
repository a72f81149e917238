-- group_errors: the error report, in production's columns.
--
-- zone    confidential
-- kind    slices
-- reads   measured_counts   one row per run and measured count
--         evaluated_groups  one row per tabulated population group with a published count
-- writes  one row per run and population group with a published count
--           RUN                     integer  1, 2, ...
--           REGION_ID               varchar  code of the region
--           REGION_TYPE             varchar  name of the region type
--           ITERATION_CODE          varchar  code of the characteristic iteration
--           DETAILED_ONLY           boolean  of the iteration
--           COARSE_ONLY             boolean  of the iteration
--           TOTAL_ONLY              boolean  of the iteration at this level: a total and nothing else
--           POPULATION_GROUP_LEVEL  varchar  such as COUNTY-2
--           POPULATION_GROUP_SIZE   bigint   persons, exact
--           STAT_LEVEL              tinyint  statistic selected: 0 total, 1 the coarsest table, ...
--           MEASURED_COUNTS         bigint   1 for a total, else the cells of the table
--           TOTAL_ABSOLUTE_ERROR    bigint   persons
--           TOTAL_SQUARED_ERROR     bigint   persons squared
-- source  evaluation.md section 2.5; the columns of production's accuracy report
with measured_errors as (
    -- one row per run and measured count
    select
        measured_counts.run,
        measured_counts.region_id,
        measured_counts.region_type,
        measured_counts.iteration_code,
        measured_counts.stat_level,
        measured_counts.noisy_count - measured_counts.exact_count as error
    from measured_counts
)

select
    measured_errors.run as RUN,
    measured_errors.region_id as REGION_ID,
    measured_errors.region_type as REGION_TYPE,
    measured_errors.iteration_code as ITERATION_CODE,
    evaluated_groups.is_detailed_only as DETAILED_ONLY,
    evaluated_groups.is_coarse_only as COARSE_ONLY,
    evaluated_groups.is_total_only as TOTAL_ONLY,
    evaluated_groups.population_group_level as POPULATION_GROUP_LEVEL,
    evaluated_groups.population_group_size as POPULATION_GROUP_SIZE,
    measured_errors.stat_level as STAT_LEVEL,
    count(*) as MEASURED_COUNTS,
    cast(sum(abs(measured_errors.error)) as bigint) as TOTAL_ABSOLUTE_ERROR,
    cast(sum(measured_errors.error * measured_errors.error) as bigint) as TOTAL_SQUARED_ERROR
from measured_errors
inner join evaluated_groups
    on
        measured_errors.region_id = evaluated_groups.region_id
        and measured_errors.region_type = evaluated_groups.region_type
        and measured_errors.iteration_code = evaluated_groups.iteration_code
group by
    measured_errors.run,
    measured_errors.region_id,
    measured_errors.region_type,
    measured_errors.iteration_code,
    evaluated_groups.is_detailed_only,
    evaluated_groups.is_coarse_only,
    evaluated_groups.is_total_only,
    evaluated_groups.population_group_level,
    evaluated_groups.population_group_size,
    measured_errors.stat_level
order by
    measured_errors.region_type,
    measured_errors.region_id,
    measured_errors.iteration_code,
    measured_errors.run
