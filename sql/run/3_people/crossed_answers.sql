-- crossed_answers: the pairs of tallies that each answer of a slice to crossed questions leads to.
--
-- zone    confidential
-- kind    slice
-- reads   persons          one row per person of the universe
--         code_tallies     one row per code and question
--         several_tallies  one row per question of several columns and person with several codes
--         crossed_tallies  one row per pair of iterations, and tally of the first and of the second
-- writes  one row per distinct answer to all questions that leads to pairs of iterations
--           {{ packed_columns }}  ubigint  as in persons
--           {{ single_questions }}  usmallint  as in persons
--           tally_ids      integer[]  keys of iteration_tallies, each once
-- params  {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ packed_columns }}     name of each column of packed codes
--         {{ single_questions }}   each question of one column, and the name of its column
--         {{ first_key }}          name of the first column of answers
--         {{ other_keys }}         names of the others
-- source  tabulation.md section 4.5
-- why     The tallies of a question are the same with a crossing and without one, so a pair holds whoever is in both of
--         its iterations. They are looked up once for an answer, and not at all where no questions are crossed.
with answers as (
    -- one row per distinct answer to all questions
    select distinct
        persons.{{ first_key }}
        {%- for key in other_keys %},
        persons.{{ key }}
        {%- endfor %}
    from persons
    where (select count(*) from crossed_tallies) > 0
),

answer_tallies as (
    -- one row per answer and question
    select distinct
        answers.{{ first_key }},
        {%- for key in other_keys %}
        answers.{{ key }},
        {%- endfor %}
        several_tallies.tally_ids
    from answers
    inner join several_tallies
        on
            true
            {%- for packed in packed_columns %}
            and answers.{{ packed.name }} = several_tallies.{{ packed.name }}
            {%- endfor %}
    where (select count(*) from crossed_tallies) > 0
    {%- for question in several_questions %}
    union all
    select
        answers.{{ first_key }},
        {%- for key in other_keys %}
        answers.{{ key }},
        {%- endfor %}
        code_tallies.tally_ids
    from answers
    inner join code_tallies
        on packed_code(answers.{{ question.first_column }}, {{ question.first_place }}) = code_tallies.code
    where
        code_tallies.question_name = {{ question.name | literal }}
        and not has_code(answers.{{ question.second_column }}, {{ question.second_place }})
    {%- endfor %}
    {%- for question in single_questions %}
    union all
    select
        answers.{{ first_key }},
        {%- for key in other_keys %}
        answers.{{ key }},
        {%- endfor %}
        code_tallies.tally_ids
    from answers
    inner join code_tallies on answers.{{ question.code_column }} = code_tallies.code
    where code_tallies.question_name = {{ question.name | literal }}
    {%- endfor %}
),

single_tallies as (
    -- one row per answer and tally
    select
        answer_tallies.{{ first_key }},
        {%- for key in other_keys %}
        answer_tallies.{{ key }},
        {%- endfor %}
        unnest(answer_tallies.tally_ids) as tally_id
    from answer_tallies
)

select
    firsts.{{ first_key }},
    {%- for key in other_keys %}
    firsts.{{ key }},
    {%- endfor %}
    list(distinct crossed_tallies.tally_id order by crossed_tallies.tally_id) as tally_ids
from single_tallies as firsts
inner join crossed_tallies on firsts.tally_id = crossed_tallies.first_tally_id
inner join single_tallies as seconds
    on
        crossed_tallies.second_tally_id = seconds.tally_id
        and firsts.{{ first_key }} = seconds.{{ first_key }}
        {%- for key in other_keys %}
        and firsts.{{ key }} = seconds.{{ key }}
        {%- endfor %}
group by
    firsts.{{ first_key }}
    {%- for key in other_keys %},
    firsts.{{ key }}
    {%- endfor %}
