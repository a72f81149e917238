-- reported_shares: how many of the people of the largest groups are female, as their tables say.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table
-- writes  one row per population group, at most ten
--           region_type     varchar  USA, STATE, COUNTY, ...
--           region_id       varchar  e.g. 44007 for a county
--           iteration_code  varchar  characteristic iteration, 4 digits
--           cells           bigint   cells of its table
--           females         bigint   persons, noisy
--           people          bigint   persons, noisy
--           variance        double   of the noise in a cell, persons squared
-- params  $first_type  varchar  the region type of which groups are shown
-- source  accuracy.md section 5
select
    t2.REGION_TYPE as region_type,
    t2.REGION_ID as region_id,
    t2.ITERATION_CODE as iteration_code,
    count(*) as cells,
    cast(sum(t2.COUNT) filter (where t2.SEX = '2') as bigint) as females,
    cast(sum(t2.COUNT) as bigint) as people,
    max(t2.VARIANCE) as variance
from t2
where t2.REGION_TYPE = $first_type and t2.AGESTART <> '*'
group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
order by people desc, t2.REGION_ID asc, t2.ITERATION_CODE asc
limit 10
