-- wanted_measurements: what stage 1 measured of the groups whose totals are wanted.
--
-- zone    published
-- reads   asked_terms      one row per wanted statistic, count in it and group of the count
--         measured_groups  one row per population group whose stage-1 total is published
--         group_levels     one row per region type and characteristic iteration with a published count
-- writes  one row per wanted statistic that is the total of a group with a measurement
--           statistic_number  bigint   row of the wanted table, from 0
--           stage_1           bigint   noisy total that picked the table of the group, persons
--           level_name        varchar  such as COUNTY-2
-- source  accuracy.md section 4
select
    asked_terms.statistic_number,
    measured_groups.STAGE_1 as stage_1,
    group_levels.level_name
from asked_terms
inner join measured_groups
    on
        asked_terms.region_type = measured_groups.REGION_TYPE
        and asked_terms.region_id = measured_groups.REGION_ID
        and asked_terms.iteration_code = measured_groups.ITERATION_CODE
left join group_levels
    on
        asked_terms.region_type = group_levels.region_type
        and asked_terms.iteration_code = group_levels.iteration_code
where not asked_terms.is_other and asked_terms.row_id = -1
