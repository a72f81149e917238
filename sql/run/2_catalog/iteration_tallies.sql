-- iteration_tallies: the tallies that each characteristic iteration adds up.
--
-- zone    public
-- reads   code_iterations            one row per code and iteration of level 1 or 2
--         finely_counted_iterations  one row per iteration
-- writes  one row per iteration and tally
--           iteration_id  integer  key of iterations
--           tally_id      integer  three numbers for each set of codes that iterations hold: see why
--           gives         varchar  whom the tally counts: see why
-- params  {{ persons_once }}  a value where a person counts once in a group
-- source  tabulation.md section 4
-- why     "Alone" and "in combination" iterations mostly hold the same sets of codes, so people are counted by set.
--         Each set has three tallies. "one" counts the people who give one code, if the set holds it. "some" counts the
--         people of several codes if the set holds some code of theirs, and "all" if it holds all of them. An alone
--         iteration adds up one and all, an iteration in combination one and some, and an iteration of a question of
--         one column the tally "one". The number of "one" and 1 is the number of "some", and 2 the number of "all". All
--         three are below 0 where nothing but totals of broad regions is wanted of the set: whoever is in it is then
--         counted without a finest cell, and for these regions alone. Where a person counts once in a group, an
--         iteration is a tally too, "once": it counts the persons with several records, wherever these lead.
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

finely_counted_sets as (
    -- one row per iteration of which more than totals of broad regions is wanted
    select numbered_sets.set_number
    from numbered_sets
    inner join finely_counted_iterations on numbered_sets.iteration_id = finely_counted_iterations.iteration_id
),

signed_sets as (
    -- one row per iteration
    select
        numbered_sets.iteration_id,
        numbered_sets.iteration_kind,
        case
            when numbered_sets.set_number in (select finely_counted_sets.set_number from finely_counted_sets)
                then numbered_sets.set_number
            else -numbered_sets.set_number
        end as set_number
    from numbered_sets
),

added_tallies as (
    -- one row per iteration and tally
    select
        signed_sets.iteration_id,
        3 * signed_sets.set_number as tally_of_one,
        unnest(
            case signed_sets.iteration_kind
                when 'alone' then ['one', 'all']
                when 'combination' then ['one', 'some']
                else ['one']
            end
        ) as gives
    from signed_sets
)

select
    added_tallies.iteration_id,
    cast(
        added_tallies.tally_of_one + list_position(['one', 'some', 'all'], added_tallies.gives) - 1 as integer
    ) as tally_id,
    added_tallies.gives
from added_tallies
{%- for _ in persons_once %}
union all
select
    numbered_sets.iteration_id,
    cast(
        3 + 3 * (select max(numbered_sets.set_number) from numbered_sets) + numbered_sets.iteration_id as integer
    ) as tally_id,
    'once' as gives
from numbered_sets
{%- endfor %}
