-- iterations_code_malformed: iteration codes that are not four digits.
--
-- zone    public
-- reads   iteration_rows  one row per row of either iteration list
-- where   {race_iterations}, {ethnicity_iterations} [ITERATION_CODE]
-- problem {n} code(s) not of four digits
-- fix     give each code in full, leading zeros included
-- source  tabulation.md section 2.3
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_name
from iteration_rows
where not coalesce(regexp_full_match(iteration_rows.iteration_code, '[0-9]{4}'), false)
