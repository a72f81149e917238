-- crossed_answers: the pairs of tallies that each answer of a slice to two crossed questions leads to.
--
-- zone    confidential
-- kind    slice
-- reads   persons          one row per person of the universe
--         code_tallies     one row per code and question
--         several_tallies  one row per question of several columns and person with several codes
--         crossed_tallies  one row per pair of iterations, and tally of the first and of the second
-- writes  one row per crossing and distinct answer to all questions
--           crossing_name  varchar    the crossing
--           {{ packed_columns }}  ubigint  as in persons
--           {{ single_questions }}  usmallint  as in persons
--           tally_ids      integer[]  keys of iteration_tallies, each once
-- params  {{ crossings }}          the crossings
--         {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ packed_columns }}     name of each column of packed codes
--         {{ single_questions }}   name of the column of each question of one column
--         {{ answer_keys }}        names of all columns of answers
-- source  tabulation.md section 4.5
-- why     The tallies of one question are those that are counted without a crossing too, so a pair holds whoever is in
--         both of its iterations. Looked up once for an answer, and not for each person.
with answers as (
    -- one row per distinct answer to all questions
    select distinct
        {%- for key in answer_keys %}
        persons.{{ key }}{{ "," if not loop.last }}
        {%- endfor %}
    from persons
),

several_answers as (
    -- one row per question of several columns and distinct answer of several codes
    select distinct
        {%- for packed in packed_columns %}
        several_tallies.{{ packed.name }},
        {%- endfor %}
        several_tallies.question_name,
        several_tallies.tally_ids
    from several_tallies
),

answer_tallies as (
    -- one row per answer, question and tally
    select
        answers.*,
        several_answers.question_name,
        unnest(several_answers.tally_ids) as tally_id
    from answers
    inner join several_answers
        on
            true
            {%- for packed in packed_columns %}
            and answers.{{ packed.name }} = several_answers.{{ packed.name }}
            {%- endfor %}
    {%- for question in several_questions %}
    union all
    select
        answers.*,
        code_tallies.question_name,
        unnest(code_tallies.tally_ids) as tally_id
    from answers
    inner join code_tallies
        on packed_code(answers.{{ question.first.column }}, {{ question.first.place }}) = code_tallies.code
    where
        code_tallies.question_name = {{ question.name | literal }}
        {%- for second in question.second %}
        and not has_code(answers.{{ second.column }}, {{ second.place }})
        {%- endfor %}
    {%- endfor %}
    {%- for question in single_questions %}
    union all
    select
        answers.*,
        code_tallies.question_name,
        unnest(code_tallies.tally_ids) as tally_id
    from answers
    inner join code_tallies on answers.{{ question.code_column }} = code_tallies.code
    where code_tallies.question_name = {{ question.name | literal }}
    {%- endfor %}
)

select
    cast(null as varchar) as crossing_name,
    {%- for key in answer_keys %}
    persons.{{ key }},
    {%- endfor %}
    cast(null as integer[]) as tally_ids
from persons
where false
{%- for crossing in crossings %}
union all
select
    {{ crossing.name | literal }} as crossing_name,
    {%- for key in answer_keys %}
    firsts.{{ key }},
    {%- endfor %}
    list(distinct crossed_tallies.tally_id) as tally_ids
from answer_tallies as firsts
inner join answer_tallies as seconds
    on
        true
        {%- for key in answer_keys %}
        and firsts.{{ key }} = seconds.{{ key }}
        {%- endfor %}
inner join crossed_tallies
    on firsts.tally_id = crossed_tallies.first_tally_id and seconds.tally_id = crossed_tallies.second_tally_id
where crossed_tallies.crossing_name = {{ crossing.name | literal }}
group by
    {%- for key in answer_keys %}
    firsts.{{ key }}{{ "," if not loop.last }}
    {%- endfor %}
{%- endfor %}
