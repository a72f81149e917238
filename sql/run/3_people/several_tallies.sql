-- several_tallies: the tallies of each person of a slice who gives several codes to a question.
--
-- zone    confidential
-- kind    slice
-- reads   several_people  one row per question of several columns and person with several codes
--         code_tallies    one row per code and question
-- writes  one row per question of several columns and person with several codes
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           tally_ids        integer[]  keys of iteration_tallies, each once, and perhaps NULL
--           {{ amounts }}  bigint  as in persons
-- params  {{ amounts }}            what each amount is called
--         {{ tally_slots }}        one_1, one_2, ...: the tallies "one" of a code, as many as one has at most
--         {{ several_questions }}  each question of several columns, with the places of its codes
-- seconds 46
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Whoever gives several codes is in the tally "some" of every set that holds one of them, once, and in the
--         tally "all" of the sets that hold them all. Where the tally "one" of a set is t, these are t + 1 and t + 2:
--         a code of the sets 30 and 60 and a code of set 30 alone give 31, 61 and 32. Most of these people give two
--         codes, whose few sets are compared one by one; lists would take three times as long.
with code_slots as (
    -- one row per code and question
    select
        {{ tally_slots | named }},
        code_tallies.question_name,
        code_tallies.code
    from code_tallies
)
{% for question in several_questions %}
{{ loop | union }}
select
    several_people.geo_unit_id,
    several_people.finest_position,
    cast([
        -- t + 1 of each set of the first code, and of each other set of the second, and t + 2 of each set of both
        {{ tally_slots | tallies_of_two("slots_1", "slots_2") }}
    ] as integer[]) as tally_ids,
    {{ amounts | of("several_people") }}
from several_people
left join code_slots as slots_1
    on
        packed_code(several_people.{{ question.first }}) = slots_1.code
        and slots_1.question_name = {{ question.name | literal }}
left join code_slots as slots_2
    on
        packed_code(several_people.{{ question.second }}) = slots_2.code
        and slots_2.question_name = {{ question.name | literal }}
where
    several_people.question_name = {{ question.name | literal }}
    and not has_code(several_people.{{ question.third }})
union all
select
    people_of_many.geo_unit_id,
    people_of_many.finest_position,
    each_once(people_of_many.tally_ids) as tally_ids,
    {{ amounts | of("people_of_many") }}
from (
    -- one row per person with three codes or more, in whose list the same set may stand several times
    select
        several_people.geo_unit_id,
        several_people.finest_position,
        cast([
            -- t + 1 of each set of each code, and t + 2 of each set of the first that every other code is in
            {{ tally_slots | tallies_of_all(question.places, "several_people") }}
        ] as integer[]) as tally_ids,
        {{ amounts | of("several_people") }}
    from several_people
    {%- for place in question.places %}
    left join code_slots as {{ place }}
        on
            packed_code(several_people.{{ question.places[place] }}) = {{ place }}.code
            and {{ place }}.question_name = {{ question.name | literal }}
    {%- endfor %}
    where
        several_people.question_name = {{ question.name | literal }}
        and has_code(several_people.{{ question.third }})
) as people_of_many
{%- else %}
select
    several_people.geo_unit_id,
    several_people.finest_position,
    cast([] as integer[]) as tally_ids,
    {{ amounts | of("several_people") }}
from several_people
where false
{%- endfor %}
