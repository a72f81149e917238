-- several_iterations: the iterations that people with each answer of several codes belong to.
--
-- zone    confidential
-- kind    slice
-- reads   several_answers  one row per distinct answer with several codes
--         several_codes    one row per answer with several codes, and place of a code
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per answer and iteration
--           answer_id     integer  key of several_answers
--           iteration_id  integer  key of iterations
-- seconds 20
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     A person is in a combination iteration that holds at least one of the person's codes, and in an alone
--         iteration that holds all of them. Only an alone iteration that holds the first two codes is looked at
--         further: most pairs of codes share none.
with first_codes as (
    -- one row per answer
    select
        several_answers.answer_id,
        packed_code(several_answers.codes_1_to_4, 1) as first_code,
        packed_code(several_answers.codes_1_to_4, 2) as second_code
    from several_answers
),

candidates as (
    -- one row per answer and alone iteration that holds the first two codes
    select
        first_codes.answer_id,
        of_first.iteration_id
    from first_codes
    inner join code_iterations as of_first on first_codes.first_code = of_first.code
    inner join code_iterations as of_second
        on
            first_codes.second_code = of_second.code
            and of_first.iteration_id = of_second.iteration_id
    where of_first.iteration_kind = 'alone'
),

held_codes as (
    -- one row per answer, alone iteration that holds the first two codes, and place of a code
    select
        candidates.answer_id,
        candidates.iteration_id,
        code_iterations.code as held_code
    from candidates
    inner join several_codes on candidates.answer_id = several_codes.answer_id
    left join code_iterations
        on
            several_codes.code = code_iterations.code
            and candidates.iteration_id = code_iterations.iteration_id
)

select distinct
    several_codes.answer_id,
    code_iterations.iteration_id
from several_codes
inner join code_iterations on several_codes.code = code_iterations.code
where code_iterations.iteration_kind = 'combination'
union all
select
    held_codes.answer_id,
    held_codes.iteration_id
from held_codes
group by held_codes.answer_id, held_codes.iteration_id
having count(*) = count(held_codes.held_code)
