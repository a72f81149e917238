-- answer_iterations: the characteristic iterations that people with each answer belong to.
--
-- zone    confidential
-- kind    slices
-- reads   answers          one row per distinct answer to either question in the slice
--         answer_codes     one row per answer and distinct race code
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per slice of geo units, answer and iteration
--           first_geo_unit_id  integer  first geo unit of the slice
--           answer_id          integer  key of answers, within the slice
--           iteration_id       integer  key of iterations
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
-- seconds 9
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     A person is in a combination iteration that holds at least one of the person's codes, and in an alone
--         iteration that holds all of them. Such an alone iteration also holds the smallest code, so only iterations
--         that hold the smallest code are tested, not every pair of answer and iteration: those pairs take most of the
--         time where a tenth of a nation has codes that nobody else has.
with code_sets as (
    -- one row per answer to the race question
    select
        answer_codes.answer_id,
        min(answer_codes.code) as smallest_code,
        count(*) as codes
    from answer_codes
    group by answer_codes.answer_id
),

alone_candidates as (
    -- one row per answer and alone iteration that holds its smallest code
    select
        code_sets.answer_id,
        code_sets.codes,
        code_iterations.iteration_id
    from code_sets
    inner join code_iterations on code_sets.smallest_code = code_iterations.code
    where code_iterations.iteration_kind = 'alone'
),

alone_iterations as (
    -- one row per answer and alone iteration that holds every code of the answer
    select
        alone_candidates.answer_id,
        alone_candidates.iteration_id
    from alone_candidates
    inner join answer_codes on alone_candidates.answer_id = answer_codes.answer_id
    inner join code_iterations
        on
            answer_codes.code = code_iterations.code
            and alone_candidates.iteration_id = code_iterations.iteration_id
    group by alone_candidates.answer_id, alone_candidates.iteration_id, alone_candidates.codes
    having count(*) = alone_candidates.codes
)

select distinct
    $first_geo_unit_id as first_geo_unit_id,
    answer_codes.answer_id,
    code_iterations.iteration_id
from answer_codes
inner join code_iterations on answer_codes.code = code_iterations.code
where code_iterations.iteration_kind = 'combination'
union all
select
    $first_geo_unit_id as first_geo_unit_id,
    alone_iterations.answer_id,
    alone_iterations.iteration_id
from alone_iterations
union all
select
    $first_geo_unit_id as first_geo_unit_id,
    answers.answer_id,
    code_iterations.iteration_id
from answers
inner join code_iterations on answers.ethnicity_code = code_iterations.code
where code_iterations.iteration_kind = 'ethnicity'
