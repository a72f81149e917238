-- several_tallies: the tallies of each person of a slice who gives several codes to a question.
--
-- zone    confidential
-- kind    slice
-- reads   several_people  one row per question of several columns and person with several codes
--         code_tallies    one row per code and question
-- writes  one row per question of several columns and person with several codes
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           {{ amounts }}  bigint  as in persons
--           tally_ids        integer[]  keys of iteration_tallies, each once, and perhaps NULL
-- params  {{ tally_slots }}        1, 2, ...: as many as the most sets that a code is in
--         {{ carried_columns }}    name of each column of several_people but the question and the codes
--         {{ several_questions }}  each question of several columns, with the places of its codes
-- seconds 46
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Whoever gives several codes is in the tally "some" of every set that holds one of them, once, and in the
--         tally "all" of the sets that hold them all: sets of the first code that every other code is in too. Most of
--         these people give two codes, whose few sets are compared one by one; lists would take three times as long.
with code_slots as (
    -- one row per code and question
    select
        {%- for slot in tally_slots %}
        code_tallies.tally_ids[{{ slot }}] as one_{{ slot }},
        {%- endfor %}
        code_tallies.question_name,
        code_tallies.code
    from code_tallies
)

select
    {%- for column in carried_columns %}
    several_people.{{ column }},
    {%- endfor %}
    cast(null as integer[]) as tally_ids
from several_people
where false
{%- for question in several_questions %}
union all
select
    {%- for column in carried_columns %}
    several_people.{{ column }},
    {%- endfor %}
    cast([
        {%- for slot in tally_slots %}
        slots_1.one_{{ slot }} + 1,
        case
            when
                true
                {%- for other in tally_slots %}
                and slots_2.one_{{ slot }} is distinct from slots_1.one_{{ other }}
                {%- endfor %}
                then slots_2.one_{{ slot }} + 1
        end,
        case
            when
                false
                {%- for other in tally_slots %}
                or slots_1.one_{{ slot }} = slots_2.one_{{ other }}
                {%- endfor %}
                then slots_1.one_{{ slot }} + 2
        end,
        {%- endfor %}
        null
    ] as integer[]) as tally_ids
from several_people
left join code_slots as slots_1
    on
        packed_code(several_people.{{ question.first_column }}, {{ question.first_place }}) = slots_1.code
        and slots_1.question_name = {{ question.name | literal }}
left join code_slots as slots_2
    on
        packed_code(several_people.{{ question.second_column }}, {{ question.second_place }}) = slots_2.code
        and slots_2.question_name = {{ question.name | literal }}
where
    several_people.question_name = {{ question.name | literal }}
    and not has_code(several_people.{{ question.third_column }}, {{ question.third_place }})
union all
select
    {%- for column in carried_columns %}
    several_people.{{ column }},
    {%- endfor %}
    list_distinct(cast([
        {%- for slot in tally_slots %}
        {%- for place in question %}
        slots_{{ place.number }}.one_{{ slot }} + 1,
        {%- endfor %}
        case
            when
                true
                {%- for place in question %}
                and (
                    not has_code(several_people.{{ place.column }}, {{ place.place }})
                    {%- for other in tally_slots %}
                    or slots_1.one_{{ slot }} = slots_{{ place.number }}.one_{{ other }}
                    {%- endfor %}
                )
                {%- endfor %}
                then slots_1.one_{{ slot }} + 2
        end,
        {%- endfor %}
        null
    ] as integer[])) as tally_ids
from several_people
{%- for place in question %}
left join code_slots as slots_{{ place.number }}
    on
        packed_code(several_people.{{ place.column }}, {{ place.place }}) = slots_{{ place.number }}.code
        and slots_{{ place.number }}.question_name = {{ question.name | literal }}
{%- endfor %}
where
    several_people.question_name = {{ question.name | literal }}
    and has_code(several_people.{{ question.third_column }}, {{ question.third_place }})
{%- endfor %}
