-- code_iterations: the detailed codes of each tabulated iteration, by their numbers.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         code_numbers         one row per code
--         iterations           one row per characteristic iteration of level 1 or 2
-- writes  one row per code and iteration of level 1 or 2
--           code            usmallint  number of the code
--           iteration_id    integer    key of iterations
--           iteration_kind  varchar    alone, combination, or the name of a question of one column
-- source  tabulation.md sections 2.3 and 4
-- why     A pair that is listed twice counts once.
select distinct
    code_numbers.code_number as code,
    iterations.iteration_id,
    iterations.iteration_kind
from code_iteration_rows
inner join code_numbers on code_iteration_rows.code = code_numbers.listed_code
inner join iterations on code_iteration_rows.iteration_code = iterations.iteration_code
