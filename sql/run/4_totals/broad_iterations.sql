-- broad_iterations: how many people of each broad geo unit belong to each characteristic iteration, by sex and age.
--
-- zone    confidential
-- kind    slices
-- reads   broad_answers      one row per broad geo unit, answer and finest cell with people in the slice
--         answer_iterations  one row per slice of geo units, answer and iteration
-- writes  one row per broad geo unit, iteration, finest cell with people and slice of geo units
--           broad_geo_unit_id  integer   key of broad_geo_units
--           iteration_id       integer   key of iterations
--           finest_position    utinyint  key of finest_cells: sex and age
--           exact_count        bigint    persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
-- seconds 16
-- source  paper Algorithm 2, lines 20-31
select
    broad_answers.broad_geo_unit_id,
    answer_iterations.iteration_id,
    broad_answers.finest_position,
    cast(sum(broad_answers.exact_count) as bigint) as exact_count
from broad_answers
inner join answer_iterations on broad_answers.answer_id = answer_iterations.answer_id
where answer_iterations.first_geo_unit_id = $first_geo_unit_id
group by broad_answers.broad_geo_unit_id, answer_iterations.iteration_id, broad_answers.finest_position
