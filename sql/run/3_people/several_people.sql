-- several_people: the people of a slice who give several codes to a question.
--
-- zone    confidential
-- kind    slice
-- reads   persons  one row per person of the universe
-- writes  one row per question of several columns and person with several codes
--           question_name    varchar    the question
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           {{ amounts }}  bigint  as in persons
--           {{ packed_columns }}  ubigint  as in persons
-- params  {{ amounts }}            what each amount is called
--         {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ packed_columns }}     name of each column of packed codes
-- seconds 8
-- source  tabulation.md section 4
-- why     Written down side by side: to look at few people among many takes as long as to look at all of them.
{%- for question in several_questions %}
{{ loop | union }}
select
    {{ question.name | literal }} as question_name,
    persons.geo_unit_id,
    persons.finest_position,
    {{ packed_columns | of("persons") }},
    {{ amounts | of("persons") }}
from persons
where
    persons.geo_unit_id is not null
    and has_code(persons.{{ question.second }})
{%- else %}
select
    cast(null as varchar) as question_name,
    persons.geo_unit_id,
    persons.finest_position,
    {{ packed_columns | of("persons") }},
    {{ amounts | of("persons") }}
from persons
where false
{%- endfor %}
