-- level_factors: the questions whose iterations each level tabulates, by themselves or in pairs.
--
-- zone    public
-- reads   levels           one row per population group level
--         iteration_kinds  one row per kind of iterations
--         crossed_levels   one row per crossing and question of it
-- writes  one row per population group level and question, and two more per crossing of the level
--           factor_id        integer  1, 2, ...
--           level_id         integer  key of levels
--           term_name        varchar  the question, or the crossing that pairs its iterations with others
--           question_name    varchar  the question
--           codes_read       integer  how many codes are read of it, 1 to 8
--           iteration_level  varchar  the level of its iterations
--           excluded_flag    varchar  the flag of the iterations that the level does not tabulate; empty for none
-- source  tabulation.md sections 4.3 and 4.5
with asked_questions as (
    -- one row per question
    select distinct
        iteration_kinds.question_name,
        iteration_kinds.codes_read
    from iteration_kinds
),

factors as (
    -- one row per population group level and question
    select
        levels.level_id,
        asked_questions.question_name as term_name,
        asked_questions.question_name,
        levels.iteration_level,
        levels.excluded_flag
    from levels
    cross join asked_questions
    union all
    select
        levels.level_id,
        crossed_levels.crossing_name as term_name,
        crossed_levels.question_name,
        crossed_levels.iteration_level,
        levels.excluded_flag
    from levels
    inner join crossed_levels on levels.iteration_level = crossed_levels.crossing_name
)

select
    cast(
        row_number() over (order by factors.level_id, factors.term_name, factors.question_name) as integer
    ) as factor_id,
    factors.level_id,
    factors.term_name,
    factors.question_name,
    asked_questions.codes_read,
    factors.iteration_level,
    factors.excluded_flag
from factors
inner join asked_questions on factors.question_name = asked_questions.question_name
