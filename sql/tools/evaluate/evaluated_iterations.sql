-- evaluated_iterations: the population group level of every characteristic iteration that a ladder tabulates.
--
-- zone    public
-- reads   exact_iterations  one row per region type and characteristic iteration
--         iterations        one row per characteristic iteration of level 1 or 2
--         levels            one row per population group level
--         ladder_levels     one row per ladder and population group level
-- writes  one row per region type and characteristic iteration of the ladder
--           region_type             varchar  USA, STATE, COUNTY, ...
--           iteration_code          varchar  characteristic iteration, 4 digits
--           level_id                integer  key of levels
--           population_group_level  varchar  such as COUNTY-2
--           is_by_totals            boolean  whether published totals pick the tables of the level
-- params  $ladder_id     integer  the ladder
--         $level_prefix  varchar  what stands before the names of its levels; nothing where it is the only ladder
-- source  evaluation.md section 2
-- why     A published row names a region type and an iteration; these two tell its level within one ladder.
select
    exact_iterations.REGION_TYPE as region_type,
    exact_iterations.ITERATION_CODE as iteration_code,
    levels.level_id,
    $level_prefix || levels.region_type || '-' || levels.iteration_level as population_group_level,
    ladder_levels.is_by_totals
from ladder_levels
inner join levels on ladder_levels.level_id = levels.level_id
inner join iterations on levels.iteration_level = iterations.iteration_level
inner join exact_iterations
    on
        levels.region_type = exact_iterations.REGION_TYPE
        and iterations.iteration_code = exact_iterations.ITERATION_CODE
where ladder_levels.ladder_id = $ladder_id
