-- totals_iteration_unknown: iterations of the published totals that the code lists do not have.
--
-- zone    public
-- reads   total_rows      one row per row of the published totals
--         iteration_rows  one row per row of a list of iterations
-- where   {totals}
-- problem {n} iteration(s) that the code lists do not have
-- fix     name totals of the same code lists, or the lists that the totals were made with
-- source  tabulation.md section 5.8
select distinct total_rows.iteration_code
from total_rows
anti join iteration_rows on total_rows.iteration_code = iteration_rows.iteration_code
