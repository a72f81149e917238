-- crossed_iterations: the pairs of iterations of two questions that are crossed.
--
-- zone    public
-- reads   crossed_levels   one row per crossing and question of it
--         iteration_kinds  one row per kind of iterations
--         iteration_rows   one row per row of a list of iterations
-- writes  one row per crossing and pair of iterations
--           crossing_name   varchar  the crossing, which is the level and the kind of its pairs too
--           iteration_code  varchar  the codes of both
--           iteration_name  varchar  the names of both
--           first_code      varchar  the iteration of the first question
--           second_code     varchar  the iteration of the second
--           flags           map(varchar, boolean)  the flags that one of the two has: see iteration_rows
-- params  $crossed_text  varchar  what stands between the two codes, and between the two names
-- source  tabulation.md section 4.5
with crossed_rows as (
    -- one row per crossing, question of it and iteration
    select
        crossed_levels.crossing_name,
        crossed_levels.factor,
        iteration_rows.iteration_code,
        iteration_rows.iteration_name,
        iteration_rows.flags
    from crossed_levels
    inner join iteration_kinds on crossed_levels.question_name = iteration_kinds.question_name
    inner join iteration_rows
        on
            iteration_kinds.iteration_kind = iteration_rows.iteration_kind
            and crossed_levels.iteration_level = iteration_rows.iteration_level
)

select
    firsts.crossing_name,
    firsts.iteration_code || $crossed_text || seconds.iteration_code as iteration_code,
    firsts.iteration_name || $crossed_text || seconds.iteration_name as iteration_name,
    firsts.iteration_code as first_code,
    seconds.iteration_code as second_code,
    joined_flags(firsts.flags, seconds.flags) as flags
from crossed_rows as firsts
inner join crossed_rows as seconds on firsts.crossing_name = seconds.crossing_name
where firsts.factor = 'first' and seconds.factor = 'second'
