-- code_tallies: the tallies that people with each code are in.
--
-- zone    public
-- reads   code_iterations    one row per code and iteration of level 1 or 2
--         iteration_tallies  one row per iteration and tally
-- writes  one row per code and question
--           question_name  varchar    the name of a question of one column; NULL for the question of several
--           code           usmallint  number of the code
--           of_one         integer[]  tallies of somebody who gives this code alone
--           of_some        integer[]  tallies of somebody who gives this code and others
--           of_all         integer[]  tallies of somebody who gives this code and others, if the others are in them too
-- source  tabulation.md section 4
-- why     Whoever is counted is written down with these lists, so that no later statement looks at a code.
select
    case
        when code_iterations.iteration_kind not in ('alone', 'combination') then code_iterations.iteration_kind
    end as question_name,
    code_iterations.code,
    list(distinct iteration_tallies.tally_id order by iteration_tallies.tally_id) filter (
        where iteration_tallies.gives = 'one'
    ) as of_one,
    list(distinct iteration_tallies.tally_id order by iteration_tallies.tally_id) filter (
        where iteration_tallies.gives = 'some'
    ) as of_some,
    list(distinct iteration_tallies.tally_id order by iteration_tallies.tally_id) filter (
        where iteration_tallies.gives = 'all'
    ) as of_all
from code_iterations
inner join iteration_tallies on code_iterations.iteration_id = iteration_tallies.iteration_id
group by question_name, code_iterations.code
