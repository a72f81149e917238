-- iterations_code_malformed: iteration codes that are missing, or not of the digits that the parameters ask for.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations} [ITERATION_CODE]
-- problem {n} code(s) that are missing, or not of the right digits
-- fix     give every digit of each code, but for zeros at its front
-- params  $code_pattern  varchar  what a code may look like
--         $value_kinds   varchar[]  the kinds of iterations that are values, which may be any text
-- source  tabulation.md section 2.3
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_name
from iteration_rows
where
    not coalesce(list_contains($value_kinds, iteration_rows.iteration_kind), false)
    and not coalesce(regexp_full_match(iteration_rows.iteration_code, $code_pattern), false)
