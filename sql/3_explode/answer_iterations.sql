-- answer_iterations: the characteristic iterations that people with each answer belong to.
--
-- zone    confidential
-- reads   answers          one row per distinct answer to either question
--         answer_codes     one row per answer and distinct race code
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per answer and iteration
--           answer_id     integer  key of answers
--           iteration_id  integer  key of iterations
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     In combination: the iteration holds some code of the person. Alone: it holds every one.
with code_set_sizes as (
    -- one row per answer to the race question
    select
        answer_codes.answer_id,
        count(*) as codes
    from answer_codes
    group by answer_codes.answer_id
),

matched_iterations as (
    -- one row per answer and race iteration that holds some code of it
    select
        answer_codes.answer_id,
        code_iterations.iteration_id,
        code_iterations.iteration_kind,
        count(*) as codes
    from answer_codes
    inner join code_iterations on answer_codes.code = code_iterations.code
    where code_iterations.iteration_kind <> 'ethnicity'
    group by answer_codes.answer_id, code_iterations.iteration_id, code_iterations.iteration_kind
)

select
    matched_iterations.answer_id,
    matched_iterations.iteration_id
from matched_iterations
inner join code_set_sizes on matched_iterations.answer_id = code_set_sizes.answer_id
where
    matched_iterations.iteration_kind = 'combination'
    or matched_iterations.codes = code_set_sizes.codes
union all
select
    answers.answer_id,
    code_iterations.iteration_id
from answers
inner join code_iterations on answers.ethnicity_code = code_iterations.code
where code_iterations.iteration_kind = 'ethnicity'
