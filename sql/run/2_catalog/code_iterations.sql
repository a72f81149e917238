-- code_iterations: the detailed codes of each tabulated iteration, as numbers.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         iterations           one row per characteristic iteration of level 1 or 2
-- writes  one row per code and iteration of level 1 or 2
--           code            usmallint  race or ethnicity code, as the number its four digits spell
--           iteration_id    integer    key of iterations
--           iteration_kind  varchar    alone, combination or ethnicity
-- source  tabulation.md sections 2.3 and 4
-- why     A pair that is listed twice counts once.
select distinct
    cast(code_iteration_rows.code as usmallint) as code,
    iterations.iteration_id,
    iterations.iteration_kind
from code_iteration_rows
inner join iterations on code_iteration_rows.iteration_code = iterations.iteration_code
