-- answer_groups: how many iterations of each level each answer that somebody gave leads to.
--
-- zone    confidential
-- reads   person_records  one row per person
--         code_numbers    one row per code
--         level_codes     one row per population group level, iteration it tabulates and code of the iteration
-- writes  one row per distinct answer to all questions, and level with an iteration that it leads to
--           answer      varchar[]  the codes of the record, as they stand in its columns
--           level_id    integer    key of levels
--           iterations  bigint     iterations of the level that the answer leads to
-- params  {{ answer_columns }}  name of each column of a question, and the kinds of iterations that its codes lead to
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
        ]) as kinds
    from answers
),

distinct_codes as (
    -- one row per answer, kinds of iterations and code
    select distinct
        given_codes.answer,
        given_codes.kinds,
        given_codes.listed_code
    from given_codes
    where given_codes.listed_code is not null
),

counted_codes as (
    -- one row per answer, kinds of iterations and code, with the number of codes of these kinds in the answer
    select
        distinct_codes.answer,
        distinct_codes.kinds,
        code_numbers.code_number,
        count(*) over (partition by distinct_codes.answer, distinct_codes.kinds) as codes
    from distinct_codes
    inner join code_numbers on distinct_codes.listed_code = code_numbers.listed_code
),

led_to as (
    -- one row per answer, level and iteration that the answer leads to
    select
        counted_codes.answer,
        level_codes.level_id
    from counted_codes
    inner join level_codes
        on
            counted_codes.code_number = level_codes.code
            and list_contains(counted_codes.kinds, level_codes.iteration_kind)
    group by counted_codes.answer, level_codes.level_id, level_codes.iteration_id, level_codes.iteration_kind
    having level_codes.iteration_kind <> 'alone' or count(*) = max(counted_codes.codes)
)

select
    led_to.answer,
    led_to.level_id,
    count(*) as iterations
from led_to
group by led_to.answer, led_to.level_id
