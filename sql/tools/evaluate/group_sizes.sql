-- group_sizes: how many population groups a ladder tabulates, by level and size.
--
-- zone    confidential
-- reads   exact_t1              one row per population group with people; of dense tables, people or not
--         tabulated_groups      one row per population group level of the ladder
--         evaluated_iterations  one row per region type and characteristic iteration of the ladder
-- writes  one row per population group level and size bucket with groups
--           population_group_level  varchar  such as COUNTY-2
--           size_start              bigint   smallest size of the bucket
--           population_groups       bigint   tabulated groups of this size
-- source  evaluation.md section 2
-- why     Groups without people are all that are tabulated less those with people: no file lists hundreds of millions.
with sized_totals as (
    -- one row per population group with people
    select
        exact_t1.REGION_TYPE as region_type,
        exact_t1.ITERATION_CODE as iteration_code,
        size_bucket(exact_t1.COUNT) as size_start
    from exact_t1
    where exact_t1.COUNT > 0
),

counted_totals as (
    -- one row per region type, characteristic iteration and size bucket with people
    select
        sized_totals.region_type,
        sized_totals.iteration_code,
        sized_totals.size_start,
        count(*) as population_groups
    from sized_totals
    group by sized_totals.region_type, sized_totals.iteration_code, sized_totals.size_start
),

groups_with_people as (
    -- one row per population group level and size bucket with people
    select
        evaluated_iterations.population_group_level,
        counted_totals.size_start,
        sum(counted_totals.population_groups) as population_groups
    from counted_totals
    inner join evaluated_iterations
        on
            counted_totals.region_type = evaluated_iterations.region_type
            and counted_totals.iteration_code = evaluated_iterations.iteration_code
    group by evaluated_iterations.population_group_level, counted_totals.size_start
),

sizes as (
    -- one row per population group level and size bucket with people, and one per level
    select
        groups_with_people.population_group_level,
        groups_with_people.size_start,
        groups_with_people.population_groups
    from groups_with_people
    union all
    select
        tabulated_groups.population_group_level,
        0 as size_start,
        tabulated_groups.population_groups - coalesce(sum(groups_with_people.population_groups), 0) as population_groups
    from tabulated_groups
    left join groups_with_people
        on tabulated_groups.population_group_level = groups_with_people.population_group_level
    group by tabulated_groups.population_group_level, tabulated_groups.population_groups
)

select
    sizes.population_group_level,
    cast(sizes.size_start as bigint) as size_start,
    cast(sizes.population_groups as bigint) as population_groups
from sizes
where sizes.population_groups > 0
