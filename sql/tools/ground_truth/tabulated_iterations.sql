-- tabulated_iterations: by which characteristic iterations the regions of each type are tabulated.
--
-- zone    public
-- reads   levels            one row per population group level
--         level_iterations  one row per population group level and iteration it tabulates
--         iterations        one row per characteristic iteration of level 1 or 2
-- writes  one row per region type and characteristic iteration
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
-- source  evaluation.md section 1
select
    levels.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE
from levels
inner join level_iterations on levels.level_id = level_iterations.level_id
inner join iterations on level_iterations.iteration_id = iterations.iteration_id
order by levels.region_type, iterations.iteration_code
