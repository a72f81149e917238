-- crossings_too_large: crossings of more pairs of iterations than a run can hold.
--
-- zone    public
-- reads   crossed_levels   one row per crossing and question of it
--         iteration_kinds  one row per kind of iterations
--         iteration_rows   one row per row of a list of iterations
-- where   {parameters} [questions]
-- problem {n} crossing(s) of more than 1,000,000 pairs of iterations
-- fix     cross levels with fewer iterations
-- params  $largest_crossing  bigint  the most pairs
-- source  tabulation.md section 4.5
with factors as (
    -- one row per crossing and question of it
    select
        crossed_levels.crossing_name,
        crossed_levels.question_name,
        count(*) as iterations
    from crossed_levels
    inner join iteration_kinds on crossed_levels.question_name = iteration_kinds.question_name
    inner join iteration_rows
        on
            iteration_kinds.iteration_kind = iteration_rows.iteration_kind
            and crossed_levels.iteration_level = iteration_rows.iteration_level
    group by crossed_levels.crossing_name, crossed_levels.question_name
)

select
    factors.crossing_name,
    min(factors.iterations) * max(factors.iterations) as pairs
from factors
group by factors.crossing_name
having count(*) = 2 and min(factors.iterations) * max(factors.iterations) > $largest_crossing
