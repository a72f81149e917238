-- broad_iterations: how many people of each broad cell belong to each characteristic iteration, by sex and age.
--
-- zone    confidential
-- reads   broad_answers      one row per broad cell, answer and finest cell with people
--         answer_iterations  one row per answer and iteration
-- writes  one row per broad cell, iteration and finest cell with people
--           broad_cell_id    integer   key of broad_cells
--           iteration_id     integer   key of iterations
--           finest_position  utinyint  key of finest_cells: sex and age
--           exact_count      bigint    persons, >= 1
-- source  paper Algorithm 2, lines 20-31
select
    broad_answers.broad_cell_id,
    answer_iterations.iteration_id,
    broad_answers.finest_position,
    cast(sum(broad_answers.exact_count) as bigint) as exact_count
from broad_answers
inner join answer_iterations on broad_answers.answer_id = answer_iterations.answer_id
group by broad_answers.broad_cell_id, answer_iterations.iteration_id, broad_answers.finest_position
