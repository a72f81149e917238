-- crossings_code_ambiguous: iteration codes that look like the codes of pairs.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
--         crossed_levels  one row per crossing and question of it
-- where   {iterations} [ITERATION_CODE]
-- problem {n} iteration code(s) that hold " x ", which stands between the codes of a pair
-- fix     give them other codes, or cross no questions
-- params  $crossed_text  varchar  what stands between the two codes
-- source  tabulation.md section 4.5
select iteration_rows.iteration_code
from iteration_rows
where
    contains(iteration_rows.iteration_code, $crossed_text)
    and exists (
        select 1
        from crossed_levels
    )
