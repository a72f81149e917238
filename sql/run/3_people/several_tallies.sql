-- several_tallies: the tallies of each person of a slice who gives several codes to a question.
--
-- zone    confidential
-- kind    slice
-- reads   several_people  one row per question of several columns and person with several codes
--         code_tallies    one row per code and question
-- writes  one row per question of several columns and person with several codes
--           question_name    varchar    the question
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           {{ packed_columns }}  ubigint  as in persons
--           tally_ids        integer[]  keys of listed_tallies, each once, and perhaps NULL
-- params  {{ tally_slots }}     1, 2, ...: as many as the most sets that a code is in
--         {{ packed_columns }}  name of each column of packed codes
--         {{ third_codes }}     the name of the third code of an answer, where it can have more than two
--         {{ long_answers }}    then the names of all of its codes
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
    several_people.question_name,
    several_people.geo_unit_id,
    several_people.finest_position,
    {%- for packed in packed_columns %}
    several_people.{{ packed.name }},
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
    on several_people.answer_1 = slots_1.code and several_people.question_name = slots_1.question_name
left join code_slots as slots_2
    on several_people.answer_2 = slots_2.code and several_people.question_name = slots_2.question_name
where
    true
    {%- for code in third_codes %}
    and several_people.{{ code }} = 0
    {%- endfor %}
{%- for codes in long_answers %}
union all
select
    several_people.question_name,
    several_people.geo_unit_id,
    several_people.finest_position,
    {%- for packed in packed_columns %}
    several_people.{{ packed.name }},
    {%- endfor %}
    list_distinct(cast([
        {%- for slot in tally_slots %}
        {%- for code in codes %}
        slots_{{ code }}.one_{{ slot }} + 1,
        {%- endfor %}
        case
            when
                true
                {%- for code in codes %}
                and (
                    several_people.{{ code }} = 0
                    {%- for other in tally_slots %}
                    or slots_answer_1.one_{{ slot }} = slots_{{ code }}.one_{{ other }}
                    {%- endfor %}
                )
                {%- endfor %}
                then slots_answer_1.one_{{ slot }} + 2
        end,
        {%- endfor %}
        null
    ] as integer[])) as tally_ids
from several_people
{%- for code in codes %}
left join code_slots as slots_{{ code }}
    on
        several_people.{{ code }} = slots_{{ code }}.code
        and several_people.question_name = slots_{{ code }}.question_name
{%- endfor %}
where several_people.answer_3 > 0
{%- endfor %}
