-- crossed_levels: the two questions of each crossing, and the level of their iterations that it pairs.
--
-- zone    public
-- writes  one row per crossing and question of it
--           crossing_name    varchar  the crossing, which is the level of its pairs too
--           factor           varchar  first or second
--           question_name    varchar  the question
--           iteration_level  varchar  the level of its iterations
-- params  $factor_crossings  varchar[]  each crossing, twice
--         $factor_places     varchar[]  first or second, in the same order
--         $factor_questions  varchar[]  likewise
--         $factor_levels     varchar[]  likewise
-- source  tabulation.md section 4.5
with listed_factors as (
    select
        unnest(cast($factor_crossings as varchar[])) as crossing_name,
        unnest(cast($factor_places as varchar[])) as factor,
        unnest(cast($factor_questions as varchar[])) as question_name,
        unnest(cast($factor_levels as varchar[])) as iteration_level
)

select
    cast(listed_factors.crossing_name as varchar) as crossing_name,
    cast(listed_factors.factor as varchar) as factor,
    cast(listed_factors.question_name as varchar) as question_name,
    cast(listed_factors.iteration_level as varchar) as iteration_level
from listed_factors
