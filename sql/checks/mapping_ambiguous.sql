-- mapping_ambiguous: codes that map to two iterations of the same level and kind, where only one is allowed.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         iteration_rows       one row per row of a list of iterations
-- where   {code_iterations}
-- problem {n} code(s) mapped to two iterations of the same level and kind, tabulated at the same regions
-- fix     keep one of the iterations, or say overlapping = true of a question of your own
-- params  $iteration_levels   varchar[]  the levels that may be tabulated
--         $overlapping_kinds  varchar[]  kinds of questions whose iterations may overlap
--         $withouts  varchar[]  the flags without which region types are tabulated; one is empty if some tabulate all
-- source  tabulation.md section 8
with tabulated_iterations as (
    -- one row per iteration and flag of a region type that tabulates it
    select
        iteration_rows.iteration_code,
        iteration_rows.iteration_level,
        iteration_rows.iteration_kind,
        excluding_flags.flag
    from iteration_rows
    cross join unnest($withouts) as excluding_flags (flag)
    where
        list_contains($iteration_levels, iteration_rows.iteration_level)
        and not list_contains($overlapping_kinds, iteration_rows.iteration_kind)
        and not coalesce(iteration_rows.flags[excluding_flags.flag], false)
)

select
    code_iteration_rows.code,
    tabulated_iterations.iteration_level,
    tabulated_iterations.iteration_kind,
    tabulated_iterations.flag as regions_without,
    list(distinct code_iteration_rows.iteration_code order by code_iteration_rows.iteration_code)
        as iteration_codes
from code_iteration_rows
inner join tabulated_iterations
    on code_iteration_rows.iteration_code = tabulated_iterations.iteration_code
group by
    code_iteration_rows.code,
    tabulated_iterations.iteration_level,
    tabulated_iterations.iteration_kind,
    tabulated_iterations.flag
having count(distinct code_iteration_rows.iteration_code) > 1
