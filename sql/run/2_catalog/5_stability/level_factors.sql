-- level_factors: the questions whose iterations each level tabulates.
--
-- zone    public
-- reads   levels           one row per population group level
--         iteration_kinds  one row per kind of iterations
-- writes  one row per population group level and question
--           factor_id      integer  1, 2, ...
--           level_id       integer  key of levels
--           question_name  varchar  the question
--           codes_read     integer  how many codes are read of it, 1 to 8
-- source  tabulation.md section 4.3
with asked_questions as (
    -- one row per question
    select distinct
        iteration_kinds.question_name,
        iteration_kinds.codes_read
    from iteration_kinds
)

select
    cast(row_number() over (order by levels.level_id, asked_questions.question_name) as integer) as factor_id,
    levels.level_id,
    asked_questions.question_name,
    asked_questions.codes_read
from levels
cross join asked_questions
