-- iteration_names: the names of the characteristic iterations, for a report on their tables.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- writes  one row per characteristic iteration of a list
--           iteration_code  varchar  characteristic iteration
--           iteration_name  varchar  its name
-- source  evaluation.md section 5
-- why     The published tables hold codes alone.
select
    iteration_rows.iteration_code,
    min(iteration_rows.iteration_name) as iteration_name
from iteration_rows
where iteration_rows.iteration_code is not null and iteration_rows.iteration_name is not null
group by iteration_rows.iteration_code
order by iteration_rows.iteration_code
