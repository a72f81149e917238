-- local_answers: which answers in which cells feed which sex-by-age tables of local population groups.
--
-- zone    confidential
-- reads   local_groups       one row per cell, local population group and stat level
--         cell_answers       one row per cell and answer with people
--         answer_iterations  one row per answer and iteration
-- writes  one row per cell, answer, local population group and stat level
--           cell_id              integer  key of cells
--           answer_id            integer  key of answers
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- source  paper Algorithm 2, lines 20-31
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
