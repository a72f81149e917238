-- answer_codes: the race codes of each answer to the race question, as a set.
--
-- zone    confidential
-- kind    slice
-- reads   answers  one row per distinct answer to either question in the slice
-- writes  one row per answer and distinct race code
--           answer_id  integer    key of answers
--           code       usmallint  race code
-- seconds 3
-- source  tabulation.md section 2.1 (a code that a person gives twice counts once)
with unpacked_answers as (
    -- one row per answer and race column
    select
        answers.answer_id,
        unnest([
            answers.race_codes_1_to_4 // 1000000000000,
            answers.race_codes_1_to_4 // 100000000 % 10000,
            answers.race_codes_1_to_4 // 10000 % 10000,
            answers.race_codes_1_to_4 % 10000,
            answers.race_codes_5_to_8 // 1000000000000,
            answers.race_codes_5_to_8 // 100000000 % 10000,
            answers.race_codes_5_to_8 // 10000 % 10000,
            answers.race_codes_5_to_8 % 10000
        ]) as code
    from answers
)

select distinct
    unpacked_answers.answer_id,
    cast(unpacked_answers.code as usmallint) as code
from unpacked_answers
where unpacked_answers.code > 0
