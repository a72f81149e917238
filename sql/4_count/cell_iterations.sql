-- cell_iterations: how many people of each cell belong to each characteristic iteration.
--
-- zone    confidential
-- kind    slices
-- reads   cell_answers       one row per cell and answer with people
--         answer_iterations  one row per slice of cells, answer and iteration
-- writes  one row per cell and iteration with people
--           cell_id       integer  key of cells
--           iteration_id  integer  key of iterations
--           exact_count   bigint   persons, >= 1
-- params  $first_cell_id  integer  first cell of the slice, a key of cells
--         $last_cell_id   integer  last cell of the slice
-- source  tabulation.md section 4; paper Algorithm 1, line 7
-- why     The explosion into iterations happens here, on counts, and once: every region adds these up.
select
    cell_answers.cell_id,
    answer_iterations.iteration_id,
    cast(sum(cell_answers.exact_count) as bigint) as exact_count
from cell_answers
inner join answer_iterations on cell_answers.answer_id = answer_iterations.answer_id
where
    cell_answers.cell_id between $first_cell_id and $last_cell_id
    and answer_iterations.first_cell_id = $first_cell_id
group by cell_answers.cell_id, answer_iterations.iteration_id
