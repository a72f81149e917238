-- level_iterations: the characteristic iterations that each population group level tabulates.
--
-- zone    public
-- reads   levels                 one row per population group level
--         iterations             one row per characteristic iteration of level 1 or 2
--         total_only_iterations  one row per named iteration of a level, or one for all of them
-- writes  one row per population group level and iteration it tabulates
--           level_id            integer  key of levels
--           iteration_id        integer  key of iterations
--           iteration_position  integer  0, 1, ... in the order of the iteration codes
--           is_total_only       boolean  the paper's TotalOnly: a noisy total and nothing else
-- params  $total_only  varchar  the flag of the iterations that get a total and nothing else
-- source  tabulation.md section 4.1; paper Algorithm 2, line 7
-- why     Nation- and state-like regions leave out coarse-only iterations, sub-state regions detailed-only ones. The
--         list of iterations says by a flag, or the parameters of a level say by name, which get a total alone.
select
    levels.level_id,
    iterations.iteration_id,
    cast(
        row_number() over (partition by levels.level_id order by iterations.iteration_id) - 1 as integer
    ) as iteration_position,
    coalesce(iterations.flags[$total_only], false) or exists (
        select 1
        from total_only_iterations
        where
            total_only_iterations.level_id = levels.level_id
            and total_only_iterations.iteration_code in ('', iterations.iteration_code)
    ) as is_total_only
from levels
inner join iterations on levels.iteration_level = iterations.iteration_level
where not coalesce(iterations.flags[levels.excluded_flag], false)
