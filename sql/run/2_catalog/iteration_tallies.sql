-- iteration_tallies: the tallies that each characteristic iteration adds up.
--
-- zone    public
-- reads   listed_tallies   one row per iteration and tally
--         crossed_tallies  one row per pair of iterations, and tally of the first and of the second
-- writes  one row per iteration and tally
--           iteration_id  integer  key of iterations
--           tally_id      integer  see listed_tallies and crossed_tallies
--           gives         varchar  whom the tally counts: one, some, all or pair
-- source  tabulation.md section 4
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
