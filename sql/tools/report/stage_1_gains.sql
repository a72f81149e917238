-- stage_1_gains: how much shorter the intervals of totals are that rest on both stages of noise.
--
-- zone    published
-- reads   t1               one row per population group with a published count
--         t2               one row per population group and cell of its table
--         measured_groups  one row per population group whose stage-1 total is published
-- writes  one row per region type and number of cells
--           region_type   varchar  USA, STATE, COUNTY, ...
--           cells         bigint   cells of a group's table; 0 for a total alone
--           totals        bigint   totals with a measurement of stage 1
--           one_stage     double   mean length of the 95 % interval from stage 2 alone, persons
--           both_stages   double   mean length of the 95 % interval from both stages, persons
-- source  accuracy.md section 4
with tabulated_groups as (
    -- one row per population group with a table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        count(*) as cells
    from t2
    where t2.AGESTART <> '*'
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
)

select
    t1.REGION_TYPE as region_type,
    coalesce(tabulated_groups.cells, 0) as cells,
    count(*) as totals,
    avg(t1.HIGH95 - t1.LOW95) as one_stage,
    avg(measured_groups.HIGH95 - measured_groups.LOW95) as both_stages
from t1
inner join measured_groups
    on
        t1.REGION_TYPE = measured_groups.REGION_TYPE
        and t1.REGION_ID = measured_groups.REGION_ID
        and t1.ITERATION_CODE = measured_groups.ITERATION_CODE
left join tabulated_groups
    on
        t1.REGION_TYPE = tabulated_groups.region_type
        and t1.REGION_ID = tabulated_groups.region_id
        and t1.ITERATION_CODE = tabulated_groups.iteration_code
group by t1.REGION_TYPE, coalesce(tabulated_groups.cells, 0)
order by t1.REGION_TYPE, coalesce(tabulated_groups.cells, 0)
