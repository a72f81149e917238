-- total_only_unknown: iterations that the parameters name to get a total alone, and that their level does not tabulate.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {parameters} [levels]
-- problem {n} iteration(s) in total_only that the level does not tabulate
-- fix     name iterations of the level, by their codes, or write total_only = true for all of them
-- params  $total_only_names       varchar[]  level of each named iteration, such as COUNTY-2
--         $total_only_levels      varchar[]  level of the iterations that this level tabulates
--         $total_only_without     varchar[]  flag of the iterations that it does not tabulate; empty for none
--         $total_only_iterations  varchar[]  the iteration; empty text for all of the level
-- source  tabulation.md section 8
with named as (
    -- one row per named iteration of a level
    select
        unnest(cast($total_only_names as varchar[])) as population_group_level,
        unnest(cast($total_only_levels as varchar[])) as iteration_level,
        unnest(cast($total_only_without as varchar[])) as flag_name,
        unnest(cast($total_only_iterations as varchar[])) as iteration_code
)

select
    named.population_group_level,
    named.iteration_code
from named
anti join iteration_rows
    on
        named.iteration_level = iteration_rows.iteration_level
        and named.iteration_code in ('', iteration_rows.iteration_code)
        and not coalesce(iteration_rows.flags[named.flag_name], false)
where named.iteration_code <> ''
