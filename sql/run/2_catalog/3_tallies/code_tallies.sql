-- code_tallies: the tallies that people who give one code are in.
--
-- zone    public
-- reads   code_iterations    one row per code and iteration of level 1 or 2
--         iteration_tallies  one row per iteration and tally
-- writes  one row per code and question
--           question_name  varchar    the question
--           code           usmallint  number of the code
--           tally_ids      integer[]  the tallies "one" of the sets that hold the code
-- source  tabulation.md section 4
-- why     The tallies of several codes follow from the tallies "one" of each: see iteration_tallies. So no statement
--         that sees people looks at an iteration.
select
    iteration_tallies.question_name,
    code_iterations.code,
    list(distinct iteration_tallies.tally_id order by iteration_tallies.tally_id) as tally_ids
from code_iterations
inner join iteration_tallies on code_iterations.iteration_id = iteration_tallies.iteration_id
where iteration_tallies.gives = 'one'
group by iteration_tallies.question_name, code_iterations.code
