-- level_codes: the codes of the iterations that each population group level tabulates.
--
-- zone    public
-- reads   level_iterations  one row per population group level and iteration it tabulates
--         code_iterations   one row per code and iteration of level 1 or 2
-- writes  one row per population group level, iteration it tabulates and code of the iteration
--           level_id        integer    key of levels
--           iteration_kind  varchar    alone, combination, or the name of a question of one column
--           iteration_id    integer    key of iterations
--           code            usmallint  number of the code
-- source  tabulation.md section 4.3
select
    level_iterations.level_id,
    code_iterations.iteration_kind,
    code_iterations.iteration_id,
    code_iterations.code
from level_iterations
inner join code_iterations on level_iterations.iteration_id = code_iterations.iteration_id
