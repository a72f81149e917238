-- iterations: the characteristic iterations that may be tabulated, numbered.
--
-- zone    public
-- reads   iteration_rows      one row per row of a list of iterations
--         crossed_iterations  one row per crossing and pair of iterations
-- writes  one row per characteristic iteration of level 1 or 2
--           iteration_id      integer  1, 2, ... in the order of the iteration codes
--           iteration_code    varchar  characteristic iteration, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   varchar  of the 2020 Census: 1 regional, 2 detailed
--           iteration_kind    varchar  alone, combination, or the name of a question of one column, or of a crossing
--           flags             map(varchar, boolean)  DETAILED_ONLY, COARSE_ONLY, ...: see iteration_rows
-- params  $iteration_levels  varchar[]  the levels that may be tabulated
-- source  tabulation.md section 4 (level 0 is dropped)
with all_iterations as (
    -- one row per characteristic iteration
    select
        iteration_rows.iteration_code,
        iteration_rows.iteration_name,
        iteration_rows.iteration_level,
        iteration_rows.iteration_kind,
        iteration_rows.flags
    from iteration_rows
    union all
    select
        crossed_iterations.iteration_code,
        crossed_iterations.iteration_name,
        crossed_iterations.crossing_name as iteration_level,
        crossed_iterations.crossing_name as iteration_kind,
        crossed_iterations.flags
    from crossed_iterations
)

select
    cast(row_number() over (order by all_iterations.iteration_code) as integer) as iteration_id,
    all_iterations.iteration_code,
    all_iterations.iteration_name,
    all_iterations.iteration_level,
    all_iterations.iteration_kind,
    all_iterations.flags
from all_iterations
where list_contains($iteration_levels, all_iterations.iteration_level)
