-- reported_shares: how many of the people of the largest groups are female, as their tables say.
--
-- zone    published
-- reads   t2            one row per population group and cell of its table
--         group_levels  one row per region type and characteristic iteration with a published count
-- writes  one row per population group, at most ten
--           region_type     varchar  USA, STATE, COUNTY, ...
--           region_id       varchar  e.g. 44007 for a county
--           iteration_code  varchar  characteristic iteration, 4 digits
--           cells           bigint   cells of its table
--           females         bigint   persons, noisy
--           people          bigint   persons, noisy
--           level_name      varchar  such as COUNTY-2
-- params  $first_type  varchar  the region type of which groups are shown
-- source  accuracy.md section 5
select
    t2.REGION_TYPE as region_type,
    t2.REGION_ID as region_id,
    t2.ITERATION_CODE as iteration_code,
    count(*) as cells,
    cast(sum(t2.COUNT) filter (where t2.SEX = '2') as bigint) as females,
    cast(sum(t2.COUNT) as bigint) as people,
    group_levels.level_name
from t2
left join group_levels
    on
        t2.REGION_TYPE = group_levels.region_type
        and t2.ITERATION_CODE = group_levels.iteration_code
where t2.REGION_TYPE = $first_type and t2.AGESTART <> '*'
group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE, group_levels.level_name
order by people desc, t2.REGION_ID asc, t2.ITERATION_CODE asc
limit 10
