-- crossings_without_iterations: questions without an iteration of the level at which they are crossed.
--
-- zone    public
-- reads   crossed_levels   one row per crossing and question of it
--         iteration_kinds  one row per kind of iterations
--         iteration_rows   one row per row of a list of iterations
-- where   {parameters} [questions]
-- problem {n} question(s) without an iteration of the level that `cross` names
-- fix     name a LEVEL of its list
-- source  tabulation.md section 4.5
-- why     The pairs would be charged, and no table would come of them.
select
    crossed_levels.crossing_name,
    crossed_levels.question_name,
    crossed_levels.iteration_level
from crossed_levels
where not exists (
    select 1
    from iteration_kinds
    inner join iteration_rows on iteration_kinds.iteration_kind = iteration_rows.iteration_kind
    where
        iteration_kinds.question_name = crossed_levels.question_name
        and iteration_rows.iteration_level = crossed_levels.iteration_level
)
