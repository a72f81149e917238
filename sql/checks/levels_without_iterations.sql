-- levels_without_iterations: levels with a budget that no iteration has, where the parameters list no levels.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {parameters} [levels]
-- problem {n} level(s) with a budget and no iteration: no list has one of that LEVEL
-- fix     write the name of a level as the region type, a hyphen, and a LEVEL of the lists; or add iterations of it
-- params  $level_region_types      varchar[]  region type of each level with a budget above zero
--         $level_iteration_levels  varchar[]  iteration level of each, in the same order
--         $known_levels            varchar[]  every level that the parameters list, if they do
-- source  tabulation.md section 8
-- why     A misspelt level would be charged, and no table would come of it. Listed names are checked elsewhere.
with listed_levels as (
    -- one row per level with a budget
    select
        unnest(cast($level_region_types as varchar[])) as region_type,
        unnest(cast($level_iteration_levels as varchar[])) as iteration_level
),

known_levels as (
    -- one row
    select list(distinct iteration_rows.iteration_level order by iteration_rows.iteration_level) as iteration_levels
    from iteration_rows
)

select
    listed_levels.region_type || '-' || listed_levels.iteration_level as population_group_level,
    array_to_string(known_levels.iteration_levels, ', ') as levels_of_the_lists
from listed_levels
cross join known_levels
where
    len($known_levels) = 0
    and not coalesce(list_contains(known_levels.iteration_levels, listed_levels.iteration_level), false)
