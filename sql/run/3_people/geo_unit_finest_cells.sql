-- geo_unit_finest_cells: how many people of each geo unit are in each tally, by finest cell.
--
-- zone    confidential
-- kind    slice
-- reads   persons             one row per person of the universe
--         several_answers     one row per distinct answer with several codes
--         several_iterations  one row per answer and iteration
--         code_tallies        one row per code and tally of people with one code
--         code_iterations     one row per code and iteration of level 1 or 2
-- writes  one row per geo unit, tally and finest cell with people
--           geo_unit_id      integer    key of geo_units
--           tally_id         integer    key of iteration_tallies
--           finest_position  usmallint  key of finest_values, such as sex and age
--           exact_count      integer    persons, >= 1
-- params  {{ single_questions }}  name of the column of each question of one column, and the kind of its iterations
-- seconds 139
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Here, and only here, people become counts. Before anything is joined to tallies, people are counted by their
--         answer to each question: by code where they give one, because many share it.
with single_codes as (
    -- one row per geo unit, finest cell and only code of somebody
    select
        persons.geo_unit_id,
        persons.finest_position,
        packed_code(persons.codes_1_to_4, 1) as code,
        cast(count(*) as integer) as people
    from persons
    where
        persons.geo_unit_id is not null
        and not has_further_codes(persons.codes_1_to_4)
    group by all
),

{%- for question in single_questions %}

{{ question.code_column }}s as (
    -- one row per geo unit, finest cell and code of somebody
    select
        persons.geo_unit_id,
        persons.finest_position,
        persons.{{ question.code_column }} as code,
        cast(count(*) as integer) as people
    from persons
    where persons.geo_unit_id is not null
    group by all
),
{%- endfor %}

counts as (
    -- one row per way to be in the tally: geo unit, finest cell, tally and people
    select
        single_codes.geo_unit_id,
        code_tallies.tally_id,
        single_codes.finest_position,
        single_codes.people
    from single_codes
    inner join code_tallies on single_codes.code = code_tallies.code
    {%- for question in single_questions %}
    union all
    select
        {{ question.code_column }}s.geo_unit_id,
        code_iterations.iteration_id as tally_id,
        {{ question.code_column }}s.finest_position,
        {{ question.code_column }}s.people
    from {{ question.code_column }}s
    inner join code_iterations on {{ question.code_column }}s.code = code_iterations.code
    where code_iterations.iteration_kind = {{ question.name | literal }}
    {%- endfor %}
    union all
    select
        persons.geo_unit_id,
        several_iterations.iteration_id as tally_id,
        persons.finest_position,
        1 as people
    from persons
    inner join several_answers
        on
            persons.codes_1_to_4 = several_answers.codes_1_to_4
            and persons.codes_5_to_8 = several_answers.codes_5_to_8
    inner join several_iterations on several_answers.answer_id = several_iterations.answer_id
    where persons.geo_unit_id is not null
)

select
    counts.geo_unit_id,
    counts.tally_id,
    counts.finest_position,
    cast(sum(counts.people) as integer) as exact_count
from counts
group by counts.geo_unit_id, counts.tally_id, counts.finest_position
