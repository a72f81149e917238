-- tabulated_groups: how many population groups a ladder tabulates, by level.
--
-- zone    confidential
-- reads   exact_t1          one row per population group with people; of dense tables, people or not
--         exact_regions     one row per region
--         exact_iterations  one row per region type and characteristic iteration
--         iterations        one row per characteristic iteration of level 1 or 2
--         levels            one row per population group level
--         ladder_levels     one row per ladder and population group level
-- writes  one row per population group level of the ladder
--           region_type        varchar  USA, STATE, COUNTY, ...
--           iteration_level    varchar  level of the iterations
--           population_groups  bigint   tabulated, people or not
-- params  $ladder_id  integer  the ladder
-- source  evaluation.md section 2
-- why     Where published totals list the groups, exact_t1 has all of them.
with own_levels as (
    -- one row per population group level of the ladder
    select
        levels.region_type,
        levels.iteration_level,
        ladder_levels.is_by_totals
    from ladder_levels
    inner join levels on ladder_levels.level_id = levels.level_id
    where ladder_levels.ladder_id = $ladder_id
),

region_numbers as (
    -- one row per region type
    select
        exact_regions.REGION_TYPE as region_type,
        count(*) as regions
    from exact_regions
    group by exact_regions.REGION_TYPE
)

select
    exact_iterations.REGION_TYPE as region_type,
    iterations.iteration_level,
    cast(count(*) * region_numbers.regions as bigint) as population_groups
from exact_iterations
inner join iterations on exact_iterations.ITERATION_CODE = iterations.iteration_code
inner join region_numbers on exact_iterations.REGION_TYPE = region_numbers.region_type
semi join own_levels
    on
        exact_iterations.REGION_TYPE = own_levels.region_type
        and iterations.iteration_level = own_levels.iteration_level
        and not own_levels.is_by_totals
group by exact_iterations.REGION_TYPE, iterations.iteration_level, region_numbers.regions
union all
select
    exact_t1.REGION_TYPE as region_type,
    iterations.iteration_level,
    count(*) as population_groups
from exact_t1
inner join iterations on exact_t1.ITERATION_CODE = iterations.iteration_code
semi join own_levels
    on
        exact_t1.REGION_TYPE = own_levels.region_type
        and iterations.iteration_level = own_levels.iteration_level
        and own_levels.is_by_totals
group by exact_t1.REGION_TYPE, iterations.iteration_level
