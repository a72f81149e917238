-- several_tallies: the tallies of each person of a slice who gives several codes.
--
-- zone    confidential
-- kind    slice
-- reads   several_people  one row per person with several codes
--         code_tallies    one row per code and question
-- writes  one row per person with several codes
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           codes_1_to_4     ubigint    as in persons
--           codes_5_to_8     ubigint    as in persons
--           tally_ids        integer[]  keys of iteration_tallies, each once, and perhaps NULL
--           {{ amounts }}  bigint  as in persons
-- params  {{ amounts }}  what each amount is called
--         {{ tally_slots }}   1, 2, ...: as many as the most sets that a code is in
--         {{ long_answers }}  the places of all codes of an answer, where it can have more than two
-- seconds 46
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Whoever gives several codes is in the tally "some" of every set that holds one of them, once, and in the
--         tally "all" of the sets that hold them all: sets of the first code that every other code is in too. Most of
--         these people give two codes, whose few sets are compared one by one; lists would take three times as long.
with code_slots as (
    -- one row per code of the question of several columns
    select
        {%- for slot in tally_slots %}
        code_tallies.tally_ids[{{ slot }}] as one_{{ slot }},
        {%- endfor %}
        code_tallies.code
    from code_tallies
    where code_tallies.question_name is null
)

select
    several_people.geo_unit_id,
    several_people.finest_position,
    several_people.codes_1_to_4,
    several_people.codes_5_to_8,
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
    {%- for amount in amounts %},
    several_people.{{ amount.name }}
    {%- endfor %}
from several_people
left join code_slots as slots_1 on packed_code(several_people.codes_1_to_4, 1) = slots_1.code
left join code_slots as slots_2 on packed_code(several_people.codes_1_to_4, 2) = slots_2.code
where not has_code(several_people.codes_1_to_4, 3)
{%- for places in long_answers %}
union all
select
    several_people.geo_unit_id,
    several_people.finest_position,
    several_people.codes_1_to_4,
    several_people.codes_5_to_8,
    list_distinct(cast([
        {%- for slot in tally_slots %}
        {%- for place in places %}
        slots_{{ place.number }}.one_{{ slot }} + 1,
        {%- endfor %}
        case
            when
                true
                {%- for place in places %}
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
    {%- for amount in amounts %},
    several_people.{{ amount.name }}
    {%- endfor %}
from several_people
{%- for place in places %}
left join code_slots as slots_{{ place.number }}
    on packed_code(several_people.{{ place.column }}, {{ place.place }}) = slots_{{ place.number }}.code
{%- endfor %}
where has_code(several_people.codes_1_to_4, 3)
{%- endfor %}
