-- iteration_names: the names of the characteristic iterations, for a report on their tables.
--
-- zone    public
-- reads   $race_iterations       Parquet of race-characteristic-iterations
--         $ethnicity_iterations  Parquet of ethnicity-characteristic-iterations
-- writes  one row per characteristic iteration of either list
--           iteration_code  varchar  4 digits
--           iteration_name  varchar  e.g. Tongan alone; any text
-- params  $race_iterations         varchar[]  path of the list
--         $ethnicity_iterations    varchar[]  path of the list
--         {{ race_columns }}       the expression that reads each column of the race list by its stored type
--         {{ ethnicity_columns }}  likewise of the ethnicity list
-- source  evaluation.md section 5
-- why     The published tables hold codes alone.
with listed_iterations as (
    -- one row per iteration of either list
    select
        {{ race_columns.ITERATION_CODE }} as iteration_code,
        {{ race_columns.ITERATION_NAME }} as iteration_name
    from read_parquet($race_iterations)
    union all
    select
        {{ ethnicity_columns.ITERATION_CODE }} as iteration_code,
        {{ ethnicity_columns.ITERATION_NAME }} as iteration_name
    from read_parquet($ethnicity_iterations)
)

select
    listed_iterations.iteration_code,
    min(listed_iterations.iteration_name) as iteration_name
from listed_iterations
where listed_iterations.iteration_code is not null and listed_iterations.iteration_name is not null
group by listed_iterations.iteration_code
order by listed_iterations.iteration_code
