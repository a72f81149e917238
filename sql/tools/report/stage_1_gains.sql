-- stage_1_gains: how much shorter the intervals of totals are that rest on both stages of noise.
--
-- zone    published
-- reads   reported_tables  one row per population group of these region types with a published count
--         measured_groups  one row per population group whose stage-1 total is published
-- writes  one row per region type and table
--           region_type   varchar  USA, STATE, COUNTY, ...
--           statistic     varchar  name of the table, or of a total alone
--           totals        bigint   totals with a measurement of stage 1
--           one_stage     double   mean length of the 95 % interval from stage 2 alone, persons
--           both_stages   double   mean length of the 95 % interval from both stages, persons
-- source  accuracy.md section 4
select
    reported_tables.region_type,
    reported_tables.statistic,
    count(*) as totals,
    avg(reported_tables.total_high95 - reported_tables.total_low95) as one_stage,
    avg(measured_groups.HIGH95 - measured_groups.LOW95) as both_stages
from reported_tables
inner join measured_groups
    on
        reported_tables.region_type = measured_groups.REGION_TYPE
        and reported_tables.region_id = measured_groups.REGION_ID
        and reported_tables.iteration_code = measured_groups.ITERATION_CODE
group by reported_tables.region_type, reported_tables.statistic
order by reported_tables.region_type, reported_tables.statistic
