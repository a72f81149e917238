-- several_codes: the codes of each answer with several codes.
--
-- zone    confidential
-- kind    slice
-- reads   several_answers  one row per distinct answer with several codes
-- writes  one row per answer with several codes, and place of a code
--           answer_id  integer    key of several_answers
--           code       usmallint  a code of the question of several columns, such as race
-- seconds 5
-- source  tabulation.md section 2.1
-- why     A code that an answer gives twice has two rows; the statements that read this table count it once.
with unpacked_codes as (
    -- one row per answer and place
    select
        several_answers.answer_id,
        unnest([
            packed_code(several_answers.codes_1_to_4, 1),
            packed_code(several_answers.codes_1_to_4, 2),
            packed_code(several_answers.codes_1_to_4, 3),
            packed_code(several_answers.codes_1_to_4, 4),
            packed_code(several_answers.codes_5_to_8, 1),
            packed_code(several_answers.codes_5_to_8, 2),
            packed_code(several_answers.codes_5_to_8, 3),
            packed_code(several_answers.codes_5_to_8, 4)
        ]) as code
    from several_answers
)

select
    unpacked_codes.answer_id,
    unpacked_codes.code
from unpacked_codes
where unpacked_codes.code > 0
