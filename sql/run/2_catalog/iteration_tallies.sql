-- iteration_tallies: the tallies that each characteristic iteration adds up.
--
-- zone    public
-- reads   code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per iteration and tally
--           iteration_id  integer  key of iterations
--           tally_id      integer  1, 2, ...: three for each set of codes that iterations hold
--           gives         varchar  whom the tally counts: see why
-- params  {{ persons_once }}  a value where a person counts once in a group
-- source  tabulation.md section 4
-- why     "Alone" and "in combination" iterations mostly hold the same sets of codes, so people are counted by set.
--         Each set has three tallies. "one" counts the people who give one code, if the set holds it. "some" counts the
--         people of several codes if the set holds some code of theirs, and "all" if it holds all of them. An alone
--         iteration adds up one and all, an iteration in combination one and some, and an iteration of a question of
--         one column the tally "one". Where a person counts once in a group, an iteration is a tally too, with the
--         number below 0: it counts the persons with several records, wherever these lead.
with code_sets as (
    -- one row per iteration
    select
        code_iterations.iteration_id,
        code_iterations.iteration_kind,
        code_iterations.iteration_kind in ('alone', 'combination') as is_of_several,
        list(code_iterations.code order by code_iterations.code) as codes
    from code_iterations
    group by code_iterations.iteration_id, code_iterations.iteration_kind
),

numbered_sets as (
    -- one row per iteration
    select
        code_sets.iteration_id,
        code_sets.iteration_kind,
        dense_rank() over (
            order by
                code_sets.is_of_several,
                case when not code_sets.is_of_several then code_sets.iteration_kind end,
                code_sets.codes
        ) as set_number
    from code_sets
),

added_tallies as (
    -- one row per iteration and tally
    select
        numbered_sets.iteration_id,
        numbered_sets.set_number,
        unnest(
            case numbered_sets.iteration_kind
                when 'alone' then ['one', 'all']
                when 'combination' then ['one', 'some']
                else ['one']
            end
        ) as gives
    from numbered_sets
)

select
    added_tallies.iteration_id,
    cast(
        3 * added_tallies.set_number + list_position(['one', 'some', 'all'], added_tallies.gives) - 3 as integer
    ) as tally_id,
    added_tallies.gives
from added_tallies
{%- for _ in persons_once %}
union all
select
    numbered_sets.iteration_id,
    -numbered_sets.iteration_id as tally_id,
    'once' as gives
from numbered_sets
{%- endfor %}
