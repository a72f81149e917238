-- answer_groups: how many iterations of each level each answer that somebody gave leads to.
--
-- zone    confidential
-- reads   person_records   one row per person
--         code_numbers     one row per code of the list, and value of a question
--         iteration_kinds  one row per kind of iterations
--         level_codes      one row per factor of a level, iteration of its question and code of the iteration
-- writes  one row per distinct answer to all questions, and level with an iteration that it leads to
--           answer      varchar[]  the codes of the record, as they stand in its columns
--           level_id    integer    key of levels
--           iterations  bigint     iterations of the level that the answer leads to
-- params  {{ answer_columns }}  name of each column of a question, and the question
--         {{ is_requested }}    whether a record may be of a part that is run, as far as its own columns say
-- source  tabulation.md section 4.2; evaluation.md section 4
-- why     The stability audit wants records that are in many groups. It does not use the statements of a run for that:
--         they are what it audits.
with answers as (
    -- one row per distinct answer
    select distinct
        [
            {%- for column in answer_columns %}
            person_records.{{ column | quoted }},
            {%- endfor %}
        ] as answer
    from person_records
    where {{ is_requested }}
),

given_codes as (
    -- one row per answer and column
    select
        answers.answer,
        unnest(answers.answer) as listed_code,
        unnest([
            {%- for column in answer_columns %}
            {{ answer_columns[column] | literal }},
            {%- endfor %}
        ]) as question_name
    from answers
),

distinct_codes as (
    -- one row per answer, question and code
    select distinct
        given_codes.answer,
        given_codes.question_name,
        code_numbers.code_number
    from given_codes
    inner join code_numbers on given_codes.listed_code = code_numbers.listed_code
),

counted_codes as (
    -- one row per answer, question and code, with the number of codes of the question in the answer
    select
        distinct_codes.answer,
        distinct_codes.question_name,
        distinct_codes.code_number,
        count(*) over (partition by distinct_codes.answer, distinct_codes.question_name) as codes
    from distinct_codes
),

led_to as (
    -- one row per answer and iteration of a level that the answer leads to
    select
        counted_codes.answer,
        level_codes.level_id
    from counted_codes
    inner join iteration_kinds on counted_codes.question_name = iteration_kinds.question_name
    inner join level_codes
        on
            counted_codes.code_number = level_codes.code
            and iteration_kinds.iteration_kind = level_codes.iteration_kind
    group by counted_codes.answer, level_codes.level_id, level_codes.iteration_id, iteration_kinds.is_alone
    having not iteration_kinds.is_alone or count(*) = max(counted_codes.codes)
)

select
    led_to.answer,
    led_to.level_id,
    count(*) as iterations
from led_to
group by led_to.answer, led_to.level_id
