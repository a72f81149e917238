-- broad_iterations: how many people of each broad cell belong to each characteristic iteration, by sex and age.
--
-- zone    confidential
-- kind    slices
-- reads   broad_answers      one row per broad cell, answer and finest cell with people in the slice
--         answer_iterations  one row per slice of cells, answer and iteration
-- writes  one row per broad cell, iteration, finest cell with people and slice of cells
--           broad_cell_id    integer   key of broad_cells
--           iteration_id     integer   key of iterations
--           finest_position  utinyint  key of finest_cells: sex and age
--           exact_count      bigint    persons, >= 1
-- params  $first_cell_id  integer  first cell of the slice, a key of cells
-- source  paper Algorithm 2, lines 20-31
select
    broad_answers.broad_cell_id,
    answer_iterations.iteration_id,
    broad_answers.finest_position,
    cast(sum(broad_answers.exact_count) as bigint) as exact_count
from broad_answers
inner join answer_iterations on broad_answers.answer_id = answer_iterations.answer_id
where answer_iterations.first_cell_id = $first_cell_id
group by broad_answers.broad_cell_id, answer_iterations.iteration_id, broad_answers.finest_position
