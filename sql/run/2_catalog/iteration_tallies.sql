-- iteration_tallies: the tallies that each characteristic iteration adds up.
--
-- zone    public
-- reads   iterations       one row per characteristic iteration of level 1 or 2
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per iteration and tally
--           iteration_id    integer  key of iterations
--           tally_id        integer  1, 2, ...: people who are counted together
--           is_of_one_code  boolean  whether the tally holds those who give one code, in a question of several columns
-- source  tabulation.md section 4
-- why     Somebody with one code is in "alone" and "in combination" iterations alike, and most codes have both. So
--         those people are counted once for each set of codes, and the iterations that hold these codes add that tally
--         up. All others are counted for each iteration: its own tally, whose id is the iteration's id.
with code_sets as (
    -- one row per iteration of a question of several columns
    select
        code_iterations.iteration_id,
        list(code_iterations.code order by code_iterations.code) as codes
    from code_iterations
    where code_iterations.iteration_kind in ('alone', 'combination')
    group by code_iterations.iteration_id
)

select
    iterations.iteration_id,
    iterations.iteration_id as tally_id,
    false as is_of_one_code
from iterations
union all
select
    code_sets.iteration_id,
    cast(
        (select count(*) from iterations) + dense_rank() over (order by code_sets.codes) as integer
    ) as tally_id,
    true as is_of_one_code
from code_sets
