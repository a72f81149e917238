-- tabulated_groups: how many population groups a ladder tabulates, by level.
--
-- zone    confidential
-- reads   exact_t1              one row per population group with people; of dense tables, people or not
--         exact_regions         one row per region
--         evaluated_iterations  one row per region type and characteristic iteration of the ladder
-- writes  one row per population group level of the ladder
--           population_group_level  varchar  such as COUNTY-2
--           population_groups       bigint   tabulated, people or not
-- source  evaluation.md section 2
-- why     Where published totals list the groups, exact_t1 has all of them.
with region_numbers as (
    -- one row per region type
    select
        exact_regions.REGION_TYPE as region_type,
        count(*) as regions
    from exact_regions
    group by exact_regions.REGION_TYPE
)

select
    evaluated_iterations.population_group_level,
    cast(count(*) * region_numbers.regions as bigint) as population_groups
from evaluated_iterations
inner join region_numbers on evaluated_iterations.region_type = region_numbers.region_type
where not evaluated_iterations.is_by_totals
group by evaluated_iterations.population_group_level, region_numbers.regions
union all
select
    evaluated_iterations.population_group_level,
    count(*) as population_groups
from exact_t1
inner join evaluated_iterations
    on
        exact_t1.REGION_TYPE = evaluated_iterations.region_type
        and exact_t1.ITERATION_CODE = evaluated_iterations.iteration_code
where evaluated_iterations.is_by_totals
group by evaluated_iterations.population_group_level
