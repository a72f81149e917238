-- answers: the distinct answers of a slice of geo units to the race question, and to the ethnicity question.
--
-- zone    confidential
-- kind    slice
-- reads   persons  one row per person who lives in a block of the requested states
-- writes  one row per distinct answer to either question in the slice
--           answer_id          integer    1, 2, ...
--           race_codes_1_to_4  bigint     four race codes of four decimal digits, 0000 none; NULL for ethnicity
--           race_codes_5_to_8  bigint     likewise
--           ethnicity_code     usmallint  ethnicity code; NULL for race
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 7
-- source  tabulation.md section 4
-- why     Iterations depend on the answer alone, so each distinct answer is looked up once, and not once for each
--         person. The two questions are kept apart, because pairs of answers are many times as numerous. Answers are
--         numbered one slice at a time, so that the iterations of an answer are found in memory: a nation takes ten
--         times as long as a tenth of it.
with distinct_answers as (
    -- one row per distinct answer to either question
    select distinct
        persons.race_codes_1_to_4,
        persons.race_codes_5_to_8,
        cast(null as usmallint) as ethnicity_code
    from persons
    where persons.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
    union all
    select distinct
        cast(null as bigint) as race_codes_1_to_4,
        cast(null as bigint) as race_codes_5_to_8,
        persons.ethnicity_code
    from persons
    where persons.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
)

select
    cast(
        row_number() over (
            order by
                distinct_answers.race_codes_1_to_4,
                distinct_answers.race_codes_5_to_8,
                distinct_answers.ethnicity_code
        ) as integer
    ) as answer_id,
    distinct_answers.race_codes_1_to_4,
    distinct_answers.race_codes_5_to_8,
    distinct_answers.ethnicity_code
from distinct_answers
