-- geo_unit_finest_cells: how many people of each geo unit are in each tally, by finest cell.
--
-- zone    confidential
-- kind    slice
-- reads   persons          one row per person of the universe
--         several_tallies  one row per question of several columns and person with several codes
--         code_tallies     one row per code and question
-- writes  one row per geo unit, tally and finest cell with people
--           geo_unit_id      integer    key of geo_units
--           tally_id         integer    key of iteration_tallies
--           finest_position  usmallint  key of finest_values, such as sex and age; 0 where only a total is wanted
--           exact_count      integer    persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}             what each amount is called
--         {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ single_questions }}   name of the column of each question of one column
-- seconds 51
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Here, and only here, people become counts.
with tallied_people as (
    -- one row per person and question with tallies
    {%- for question in single_questions %}
    select
        persons.geo_unit_id,
        persons.finest_position,
        code_tallies.tally_ids,
        {{ amounts | of("persons") }}
    from persons
    inner join code_tallies on persons.{{ question.code_column }} = code_tallies.code
    where code_tallies.question_name = {{ question.name | literal }}
    union all
    {%- endfor %}
    {%- for question in several_questions %}
    select
        persons.geo_unit_id,
        persons.finest_position,
        code_tallies.tally_ids,
        {{ amounts | of("persons") }}
    from persons
    inner join code_tallies on packed_code(persons.{{ question.first }}) = code_tallies.code
    where
        code_tallies.question_name = {{ question.name | literal }}
        and not has_code(persons.{{ question.second }})
    union all
    {%- endfor %}
    select
        several_tallies.geo_unit_id,
        several_tallies.finest_position,
        several_tallies.tally_ids,
        {{ amounts | of("several_tallies") }}
    from several_tallies
),

people_in_tallies as (
    -- one row per person and tally that counts the person, and some with NULL
    select
        tallied_people.geo_unit_id,
        unnest(tallied_people.tally_ids) as tally_id,
        tallied_people.finest_position,
        {{ amounts | of("tallied_people") }}
    from tallied_people
    where tallied_people.geo_unit_id is not null
),

counted_people as (
    -- one row per person and tally that counts the person
    select
        people_in_tallies.geo_unit_id,
        people_in_tallies.tally_id,
        case when people_in_tallies.tally_id > 0 then people_in_tallies.finest_position else 0 end as finest_position,
        {{ amounts | of("people_in_tallies") }}
    from people_in_tallies
    where people_in_tallies.tally_id is not null
)

select
    counted_people.geo_unit_id,
    counted_people.tally_id,
    counted_people.finest_position,
    cast(count(*) as integer) as exact_count,
    {{ amounts | summed("counted_people") }}
from counted_people
group by counted_people.geo_unit_id, counted_people.tally_id, counted_people.finest_position
