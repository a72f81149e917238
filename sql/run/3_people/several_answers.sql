-- several_answers: the distinct answers with several codes of the people of a slice.
--
-- zone    confidential
-- kind    slice
-- reads   persons  one row per person of the universe
-- writes  one row per distinct answer with several codes
--           answer_id     integer  1, 2, ...
--           codes_1_to_4  ubigint  four codes of 16 bits each, 0 none
--           codes_5_to_8  ubigint  likewise
-- seconds 13
-- source  tabulation.md section 4
-- why     Iterations depend on the answer alone, so each distinct answer is looked up once, and not once for each
--         person. Whoever gives one code is in the iterations of that code, and needs no row here.
with distinct_answers as (
    select distinct
        persons.codes_1_to_4,
        persons.codes_5_to_8
    from persons
    where
        persons.geo_unit_id is not null
        and has_further_codes(persons.codes_1_to_4)
)

select
    cast(row_number() over () as integer) as answer_id,
    distinct_answers.codes_1_to_4,
    distinct_answers.codes_5_to_8
from distinct_answers
