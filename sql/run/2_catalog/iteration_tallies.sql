-- iteration_tallies: the tallies that each characteristic iteration adds up.
--
-- zone    public
-- reads   listed_tallies   one row per iteration and tally
--         crossed_tallies  one row per pair of iterations, and tally of the first and of the second
-- writes  one row per iteration and tally
--           iteration_id  integer  key of iterations
--           tally_id      integer  see listed_tallies and crossed_tallies
--           gives         varchar  whom the tally counts: one, some, all, pair or once
-- params  {{ persons_once }}  a value where a person counts once in a group
-- source  tabulation.md section 4
-- why     Where a person counts once in a group, an iteration is a tally too, "once": it counts the persons with
--         several records, wherever these lead.
with all_tallies as (
    -- one row per iteration and tally
    select
        listed_tallies.iteration_id,
        listed_tallies.tally_id,
        listed_tallies.gives
    from listed_tallies
    union all
    select
        crossed_tallies.iteration_id,
        crossed_tallies.tally_id,
        'pair' as gives
    from crossed_tallies
)

select
    all_tallies.iteration_id,
    all_tallies.tally_id,
    all_tallies.gives
from all_tallies
{%- for _ in persons_once %}
union all
select distinct
    all_tallies.iteration_id,
    cast(
        3 + 3 * (select max(abs(numbers.tally_id)) // 3 from all_tallies as numbers) + all_tallies.iteration_id
        as integer
    ) as tally_id,
    'once' as gives
from all_tallies
{%- endfor %}
