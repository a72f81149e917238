-- local_answers: which answers in which cells feed which sex-by-age tables of local population groups.
--
-- zone    confidential
-- kind    slice
-- reads   local_groups       one row per cell, local population group and stat level
--         cell_answers       one row per cell and answer with people
--         answer_iterations  one row per slice of cells, answer and iteration
-- writes  one row per cell of the slice, answer, local population group and stat level
--           cell_id              integer  key of cells
--           answer_id            integer  key of answers, within the slice
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- params  $first_cell_id  integer  first cell of the slice, a key of cells
--         $last_cell_id   integer  last cell of the slice
-- source  paper Algorithm 2, lines 20-31
-- why     Slice by slice, for everybody is looked up among these rows: a nation's 78 million do not fit into memory,
--         a tenth of them do. A table of its own: inside local_group_finest_cells the engine joins people to groups.
select
    cell_answers.cell_id,
    cell_answers.answer_id,
    local_groups.population_group_id,
    local_groups.stat_level
from cell_answers
inner join answer_iterations on cell_answers.answer_id = answer_iterations.answer_id
inner join local_groups
    on
        cell_answers.cell_id = local_groups.cell_id
        and answer_iterations.iteration_id = local_groups.iteration_id
where
    answer_iterations.first_cell_id = $first_cell_id
    and cell_answers.cell_id between $first_cell_id and $last_cell_id
    and local_groups.cell_id between $first_cell_id and $last_cell_id
