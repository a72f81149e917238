-- iteration_names: the names of the characteristic iterations, for a report on their tables.
--
-- zone    public
-- reads   iteration_rows      one row per row of a list of iterations
--         crossed_iterations  one row per crossing and pair of iterations
-- writes  one row per characteristic iteration of a list, and pair of crossed ones
--           iteration_code  varchar  characteristic iteration
--           iteration_name  varchar  its name
-- source  evaluation.md section 5
-- why     The published tables hold codes alone.
with all_names as (
    -- one row per iteration of a list, and pair
    select
        iteration_rows.iteration_code,
        iteration_rows.iteration_name
    from iteration_rows
    union all
    select
        crossed_iterations.iteration_code,
        crossed_iterations.iteration_name
    from crossed_iterations
)

select
    all_names.iteration_code,
    min(all_names.iteration_name) as iteration_name
from all_names
where all_names.iteration_code is not null and all_names.iteration_name is not null
group by all_names.iteration_code
order by all_names.iteration_code
