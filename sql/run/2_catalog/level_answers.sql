-- level_answers: the most iterations that one answer to the question of several columns leads to, all answers tried.
--
-- zone    public
-- reads   code_kinds  one row per overlapping level, kind of code and iteration that holds these codes
-- writes  one row per overlapping level with at most twelve kinds of codes
--           level_id         integer  key of levels
--           most_iterations  bigint   the most alone and combination iterations of one answer
-- params  $codes_read  integer  columns that are read of the question of several columns, 1 to 8
-- source  tabulation.md section 4.3
-- why     An answer is a number of at most twelve binary digits: digit 1 in place k says that the answer has a code of
--         kind k. Answers with more kinds than columns are left out. A second code of the same kind changes nothing.
with sized_levels as (
    -- one row per level
    select
        code_kinds.level_id,
        max(code_kinds.code_kind) + 1 as kinds
    from code_kinds
    group by code_kinds.level_id
),

numbers as (
    -- one row per level and set of kinds
    select
        sized_levels.level_id,
        unnest(range(1, 1 << sized_levels.kinds)) as answer
    from sized_levels
),

answers as (
    -- one row per level and answer
    select
        numbers.level_id,
        numbers.answer
    from numbers
    where bit_count(numbers.answer) <= $codes_read
),

answer_iterations as (
    -- one row per level, answer and iteration that the answer leads to
    select
        answers.level_id,
        answers.answer
    from answers
    inner join code_kinds
        on
            answers.level_id = code_kinds.level_id
            and (answers.answer >> code_kinds.code_kind) & 1 = 1
    group by answers.level_id, answers.answer, code_kinds.iteration_id, code_kinds.is_alone
    having not code_kinds.is_alone or count(*) = bit_count(answers.answer)
),

answer_sizes as (
    -- one row per level and answer
    select
        answer_iterations.level_id,
        count(*) as iterations
    from answer_iterations
    group by answer_iterations.level_id, answer_iterations.answer
)

select
    answer_sizes.level_id,
    max(answer_sizes.iterations) as most_iterations
from answer_sizes
group by answer_sizes.level_id
