-- level_codes: the codes of the iterations that each population group level tabulates, by themselves or in pairs.
--
-- zone    public
-- reads   level_factors    one row per population group level and question, and two more per crossing of the level
--         iterations       one row per characteristic iteration of level 1 or 2
--         iteration_kinds  one row per kind of iterations
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per factor of a level, iteration of its question and code of the iteration
--           level_id        integer    key of levels
--           factor_id       integer    key of level_factors
--           iteration_kind  varchar    alone, combination, or the name of a question of one column
--           iteration_id    integer    key of iterations
--           code            usmallint  number of the code
-- source  tabulation.md sections 4.3 and 4.5
select
    level_factors.level_id,
    level_factors.factor_id,
    code_iterations.iteration_kind,
    code_iterations.iteration_id,
    code_iterations.code
from level_factors
inner join iteration_kinds on level_factors.question_name = iteration_kinds.question_name
inner join iterations
    on
        iteration_kinds.iteration_kind = iterations.iteration_kind
        and level_factors.iteration_level = iterations.iteration_level
        and not coalesce(iterations.flags[level_factors.excluded_flag], false)
inner join code_iterations on iterations.iteration_id = code_iterations.iteration_id
