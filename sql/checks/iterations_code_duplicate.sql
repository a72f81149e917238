-- iterations_code_duplicate: iteration codes that are listed more than once, in one list or across both lists.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- where   {iterations} [ITERATION_CODE]
-- problem {n} code(s) listed more than once
-- fix     give every iteration a code of its own, also across questions; of a question with values: values = ["R1"] and
--         map."1" = "R1" read a 1 as R1
-- source  tabulation.md section 8
select
    iteration_rows.iteration_code,
    count(*) as times
from iteration_rows
where iteration_rows.iteration_code is not null
group by iteration_rows.iteration_code
having count(*) > 1
