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
    select unnest(
        list_zip(
            cast($total_only_names as varchar[]),
            cast($total_only_levels as varchar[]),
            cast($total_only_without as varchar[]),
            cast($total_only_iterations as varchar[])
        )
    ) as named_fields
)

select
    named.named_fields[1] as population_group_level,
    named.named_fields[4] as iteration_code
from named
anti join iteration_rows
    on
        iteration_rows.iteration_level = named.named_fields[2]
        and named.named_fields[4] in ('', iteration_rows.iteration_code)
        and not coalesce(iteration_rows.flags[named.named_fields[3]], false)
where named.named_fields[4] <> ''
