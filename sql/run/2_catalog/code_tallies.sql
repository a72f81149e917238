-- code_tallies: the tallies of people with one code, by that code.
--
-- zone    public
-- reads   code_iterations    one row per code and iteration of level 1 or 2
--         iteration_tallies  one row per iteration and tally
-- writes  one row per code and tally of people with one code
--           code      usmallint  number of the code
--           tally_id  integer    key of iteration_tallies
-- source  tabulation.md section 4
select distinct
    code_iterations.code,
    iteration_tallies.tally_id
from code_iterations
inner join iteration_tallies on code_iterations.iteration_id = iteration_tallies.iteration_id
where iteration_tallies.is_of_one_code
