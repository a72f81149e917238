-- published_iterations: the iterations that the ladder tabulates at each level, by their place in it.
--
-- zone    public
-- reads   ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per population group level and iteration that the ladder tabulates
--           level_id            integer  key of levels
--           iteration_position  integer  0, 1, ... in the order of the iteration codes
--           iteration_id        integer  key of iterations, in the order of the codes
--           iteration_code      varchar  characteristic iteration, 4 digits
--           is_total_only       boolean  the paper's TotalOnly
-- params  $ladder_id  integer  the ladder that is published
-- source  tabulation.md sections 1 and 7
select
    ladder_iterations.level_id,
    ladder_iterations.iteration_position,
    iterations.iteration_id,
    iterations.iteration_code,
    ladder_iterations.is_total_only
from ladder_iterations
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
where ladder_iterations.ladder_id = $ladder_id
