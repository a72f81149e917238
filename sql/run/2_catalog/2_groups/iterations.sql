-- iterations: the characteristic iterations that may be tabulated, numbered.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- writes  one row per characteristic iteration of level 1 or 2
--           iteration_id      integer  1, 2, ... in the order of the iteration codes
--           iteration_code    varchar  characteristic iteration, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   varchar  of the 2020 Census: 1 regional, 2 detailed
--           iteration_kind    varchar  alone, combination, or the name of a question of one column
--           flags             map(varchar, boolean)  DETAILED_ONLY, COARSE_ONLY, ...: see iteration_rows
-- params  $iteration_levels  varchar[]  the levels that may be tabulated
-- source  tabulation.md section 4 (level 0 is dropped)
select
    cast(row_number() over (order by iteration_rows.iteration_code) as integer) as iteration_id,
    iteration_rows.iteration_code,
    iteration_rows.iteration_name,
    iteration_rows.iteration_level,
    iteration_rows.iteration_kind,
    iteration_rows.flags
from iteration_rows
where list_contains($iteration_levels, iteration_rows.iteration_level)
