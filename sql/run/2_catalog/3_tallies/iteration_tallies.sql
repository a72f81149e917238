-- iteration_tallies: the tallies that each characteristic iteration adds up.
--
-- zone    public
-- reads   code_iterations            one row per code and iteration of level 1 or 2
--         finely_counted_iterations  one row per iteration
--         iteration_kinds            one row per kind of iterations
-- writes  one row per iteration and tally
--           iteration_id   integer  key of iterations
--           question_name  varchar  the question of the iteration
--           tally_id       integer  three numbers for each set of codes that iterations hold: see why
--           gives          varchar  whom the tally counts: see why
-- source  tabulation.md section 4
-- why     "Alone" and "in combination" iterations mostly hold the same sets of codes, so people are counted by set.
--         Each set has three tallies. "one" counts the people who give one code, if the set holds it. "some" counts the
--         people of several codes if the set holds some code of theirs, and "all" if it holds all of them. An alone
--         iteration adds up one and all, an iteration in combination one and some, and an iteration of a question of
--         one column the tally "one". The number of "one" and 1 is the number of "some", and 2 the number of "all". All
--         three are below 0 where nothing but totals of broad regions is wanted of the set: whoever is in it is then
--         counted without a finest cell, and for these regions alone.
with code_sets as (
    -- one row per iteration
    select
        code_iterations.iteration_id,
        code_iterations.iteration_kind,
        list(code_iterations.code order by code_iterations.code) as codes
    from code_iterations
    group by code_iterations.iteration_id, code_iterations.iteration_kind
),

numbered_sets as (
    -- one row per iteration
    select
        code_sets.iteration_id,
        iteration_kinds.question_name,
        iteration_kinds.is_of_several,
        iteration_kinds.is_alone,
        dense_rank() over (
            order by iteration_kinds.is_of_several, iteration_kinds.question_name, code_sets.codes
        ) as set_number
    from code_sets
    inner join iteration_kinds on code_sets.iteration_kind = iteration_kinds.iteration_kind
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
        numbered_sets.question_name,
        numbered_sets.is_of_several,
        numbered_sets.is_alone,
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
        signed_sets.question_name,
        3 * signed_sets.set_number as tally_of_one,
        unnest(
            case
                when signed_sets.is_alone then ['one', 'all']
                when signed_sets.is_of_several then ['one', 'some']
                else ['one']
            end
        ) as gives
    from signed_sets
)

select
    added_tallies.iteration_id,
    added_tallies.question_name,
    cast(
        added_tallies.tally_of_one + list_position(['one', 'some', 'all'], added_tallies.gives) - 1 as integer
    ) as tally_id,
    added_tallies.gives
from added_tallies
