-- level_codes: the codes of the iterations that each population group level tabulates.
--
-- zone    public
-- reads   level_factors     one row per population group level and question
--         level_iterations  one row per population group level and iteration it tabulates
--         iteration_kinds   one row per kind of iterations
--         code_iterations   one row per code and iteration of level 1 or 2
-- writes  one row per factor of a level, iteration of its question and code of the iteration
--           factor_id       integer    key of level_factors
--           iteration_kind  varchar    alone, combination, or the name of a question of one column
--           iteration_id    integer    key of iterations
--           code            usmallint  number of the code
-- source  tabulation.md section 4.3
select
    level_factors.factor_id,
    code_iterations.iteration_kind,
    code_iterations.iteration_id,
    code_iterations.code
from level_iterations
inner join code_iterations on level_iterations.iteration_id = code_iterations.iteration_id
inner join iteration_kinds on code_iterations.iteration_kind = iteration_kinds.iteration_kind
inner join level_factors
    on
        level_iterations.level_id = level_factors.level_id
        and iteration_kinds.question_name = level_factors.question_name
