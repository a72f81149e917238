-- level_answers: the most iterations that one answer to the question of several columns leads to, all answers tried.
--
-- zone    public
-- reads   code_kinds     one row per overlapping factor, kind of code and iteration that holds these codes
--         level_factors  one row per population group level and question
-- writes  one row per overlapping factor with at most twelve kinds of codes
--           factor_id        integer  key of level_factors
--           most_iterations  bigint   the most alone and combination iterations of one answer
-- source  tabulation.md section 4.3
-- why     An answer is a number of at most twelve binary digits: digit 1 in place k says that the answer has a code of
--         kind k. Answers with more kinds than columns are left out. A second code of the same kind changes nothing.
with sized_factors as (
    -- one row per factor
    select
        code_kinds.factor_id,
        max(code_kinds.code_kind) + 1 as kinds
    from code_kinds
    group by code_kinds.factor_id
),

numbers as (
    -- one row per factor and set of kinds
    select
        sized_factors.factor_id,
        unnest(range(1, 1 << sized_factors.kinds)) as answer
    from sized_factors
),

answers as (
    -- one row per factor and answer
    select
        numbers.factor_id,
        numbers.answer
    from numbers
    inner join level_factors on numbers.factor_id = level_factors.factor_id
    where bit_count(numbers.answer) <= level_factors.codes_read
),

answer_iterations as (
    -- one row per factor, answer and iteration that the answer leads to
    select
        answers.factor_id,
        answers.answer
    from answers
    inner join code_kinds
        on
            answers.factor_id = code_kinds.factor_id
            and (answers.answer >> code_kinds.code_kind) & 1 = 1
    group by answers.factor_id, answers.answer, code_kinds.iteration_id, code_kinds.is_alone
    having not code_kinds.is_alone or count(*) = bit_count(answers.answer)
),

answer_sizes as (
    -- one row per factor and answer
    select
        answer_iterations.factor_id,
        count(*) as iterations
    from answer_iterations
    group by answer_iterations.factor_id, answer_iterations.answer
)

select
    answer_sizes.factor_id,
    max(answer_sizes.iterations) as most_iterations
from answer_sizes
group by answer_sizes.factor_id
