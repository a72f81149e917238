-- mapping_ambiguous: codes that map to two iterations of the same level and kind, where only one is allowed.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         iteration_rows  one row per row of either iteration list
-- where   {code_iterations}
-- problem {n} code(s) mapped to two iterations of the same level and kind, tabulated at the same regions
-- fix     keep one of the iterations: a person must count once in each level and kind
-- source  tabulation.md section 8
with tabulated_iterations as (
    -- one row per iteration and kind of region that tabulates it
    select
        iteration_rows.iteration_code,
        iteration_rows.iteration_level,
        iteration_rows.iteration_kind,
        'nation- and state-like' as regions
    from iteration_rows
    where iteration_rows.iteration_level > 0 and not iteration_rows.is_coarse_only
    union all
    select
        iteration_rows.iteration_code,
        iteration_rows.iteration_level,
        iteration_rows.iteration_kind,
        'sub-state' as regions
    from iteration_rows
    where iteration_rows.iteration_level > 0 and not iteration_rows.is_detailed_only
)

select
    code_iteration_rows.code,
    tabulated_iterations.iteration_level,
    tabulated_iterations.iteration_kind,
    tabulated_iterations.regions,
    list(distinct code_iteration_rows.iteration_code order by code_iteration_rows.iteration_code)
        as iteration_codes
from code_iteration_rows
inner join tabulated_iterations
    on code_iteration_rows.iteration_code = tabulated_iterations.iteration_code
group by
    code_iteration_rows.code,
    tabulated_iterations.iteration_level,
    tabulated_iterations.iteration_kind,
    tabulated_iterations.regions
having count(distinct code_iteration_rows.iteration_code) > 1
