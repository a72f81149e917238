-- several_answers: the distinct answers with several codes of the people of a slice, and the tallies they are in.
--
-- zone    confidential
-- kind    slice
-- reads   persons       one row per person of the universe
--         code_tallies  one row per code and question
-- writes  one row per distinct answer with several codes
--           codes_1_to_4  ubigint    four codes of 16 bits each, 0 none
--           codes_5_to_8  ubigint    likewise
--           tally_ids     integer[]  keys of iteration_tallies, each once
-- seconds 36
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Tallies depend on the answer alone, so each distinct answer is looked up once, and not once for each person.
--         An answer is in the "some" tallies of all its codes, each once, and in those "all" tallies that every code of
--         it is in. Whoever gives one code is in the tallies of that code, and needs no row here.
with distinct_answers as (
    -- one row per distinct answer with several codes
    select distinct
        persons.codes_1_to_4,
        persons.codes_5_to_8
    from persons
    where
        persons.geo_unit_id is not null
        and has_further_codes(persons.codes_1_to_4)
),

several_tallies as (
    -- one row per code of the question of several columns
    select
        code_tallies.code,
        code_tallies.of_some,
        code_tallies.of_all
    from code_tallies
    where code_tallies.question_name is null
)

select
    distinct_answers.codes_1_to_4,
    distinct_answers.codes_5_to_8,
    list_concat(
        list_distinct(
            list_concat(
                tallies_1.of_some,
                tallies_2.of_some,
                tallies_3.of_some,
                tallies_4.of_some,
                tallies_5.of_some,
                tallies_6.of_some,
                tallies_7.of_some,
                tallies_8.of_some
            )
        ),
        list_filter(
            tallies_1.of_all,
            lambda tally:
            (not has_code(distinct_answers.codes_1_to_4, 2) or list_contains(tallies_2.of_all, tally))
            and (not has_code(distinct_answers.codes_1_to_4, 3) or list_contains(tallies_3.of_all, tally))
            and (not has_code(distinct_answers.codes_1_to_4, 4) or list_contains(tallies_4.of_all, tally))
            and (not has_code(distinct_answers.codes_5_to_8, 1) or list_contains(tallies_5.of_all, tally))
            and (not has_code(distinct_answers.codes_5_to_8, 2) or list_contains(tallies_6.of_all, tally))
            and (not has_code(distinct_answers.codes_5_to_8, 3) or list_contains(tallies_7.of_all, tally))
            and (not has_code(distinct_answers.codes_5_to_8, 4) or list_contains(tallies_8.of_all, tally))
        )
    ) as tally_ids
from distinct_answers
left join several_tallies as tallies_1 on packed_code(distinct_answers.codes_1_to_4, 1) = tallies_1.code
left join several_tallies as tallies_2 on packed_code(distinct_answers.codes_1_to_4, 2) = tallies_2.code
left join several_tallies as tallies_3 on packed_code(distinct_answers.codes_1_to_4, 3) = tallies_3.code
left join several_tallies as tallies_4 on packed_code(distinct_answers.codes_1_to_4, 4) = tallies_4.code
left join several_tallies as tallies_5 on packed_code(distinct_answers.codes_5_to_8, 1) = tallies_5.code
left join several_tallies as tallies_6 on packed_code(distinct_answers.codes_5_to_8, 2) = tallies_6.code
left join several_tallies as tallies_7 on packed_code(distinct_answers.codes_5_to_8, 3) = tallies_7.code
left join several_tallies as tallies_8 on packed_code(distinct_answers.codes_5_to_8, 4) = tallies_8.code
