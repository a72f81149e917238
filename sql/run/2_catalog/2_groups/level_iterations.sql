-- level_iterations: the characteristic iterations that each population group level tabulates.
--
-- zone    public
-- reads   levels      one row per population group level
--         iterations  one row per characteristic iteration of level 1 or 2
-- writes  one row per population group level and iteration it tabulates
--           level_id            integer  key of levels
--           iteration_id        integer  key of iterations
--           iteration_position  integer  0, 1, ... in the order of the iteration codes
-- source  tabulation.md section 4.1
-- why     Nation- and state-like regions leave out coarse-only iterations, sub-state regions detailed-only ones.
select
    levels.level_id,
    iterations.iteration_id,
    cast(
        row_number() over (partition by levels.level_id order by iterations.iteration_id) - 1 as integer
    ) as iteration_position
from levels
inner join iterations on levels.iteration_level = iterations.iteration_level
where not coalesce(iterations.flags[levels.excluded_flag], false)
