-- ladder_iterations: which characteristic iterations get a total and nothing else in each ladder.
--
-- zone    public
-- reads   ladder_levels          one row per ladder and population group level
--         level_iterations       one row per population group level and iteration it tabulates
--         iterations             one row per characteristic iteration of level 1 or 2
--         total_only_iterations  one row per named iteration of a level, or one for all of them
-- writes  one row per ladder, population group level and iteration it tabulates
--           ladder_id           integer  key of ladder_levels
--           level_id            integer  key of levels
--           iteration_id        integer  key of iterations
--           iteration_position  integer  0, 1, ... in the order of the iteration codes
--           is_total_only       boolean  the paper's TotalOnly: a noisy total and nothing else
-- source  tabulation.md section 4.1; paper Algorithm 2, line 7
-- why     The list of iterations says by a flag, or the parameters of a level say by name, which get a total alone.
select
    ladder_levels.ladder_id,
    ladder_levels.level_id,
    level_iterations.iteration_id,
    level_iterations.iteration_position,
    coalesce(iterations.flags[ladder_levels.total_only_flag], false) or exists (
        select 1
        from total_only_iterations
        where
            total_only_iterations.ladder_id = ladder_levels.ladder_id
            and total_only_iterations.level_id = ladder_levels.level_id
            and total_only_iterations.iteration_code in ('', iterations.iteration_code)
    ) as is_total_only
from ladder_levels
inner join level_iterations on ladder_levels.level_id = level_iterations.level_id
inner join iterations on level_iterations.iteration_id = iterations.iteration_id
