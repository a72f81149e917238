-- profiles: the distinct answers to the race and ethnicity questions.
--
-- zone    confidential
-- reads   persons  one row per person who lives in a block of the requested states
-- writes  one row per distinct sequence of race codes and ethnicity code
--           profile_id         integer    1, 2, ...
--           race_codes_1_to_4  bigint     four race codes of four decimal digits; 0000 none
--           race_codes_5_to_8  bigint     likewise
--           ethnicity_code     usmallint  ethnicity code
-- source  tabulation.md section 4
-- why     Iterations depend on the answers alone, so each distinct answer is looked up once, not once a person.
with distinct_answers as (
    select distinct
        persons.race_codes_1_to_4,
        persons.race_codes_5_to_8,
        persons.ethnicity_code
    from persons
)

select
    cast(
        row_number() over (
            order by
                distinct_answers.race_codes_1_to_4,
                distinct_answers.race_codes_5_to_8,
                distinct_answers.ethnicity_code
        ) as integer
    ) as profile_id,
    distinct_answers.race_codes_1_to_4,
    distinct_answers.race_codes_5_to_8,
    distinct_answers.ethnicity_code
from distinct_answers
