-- broad_answers: how many people of each broad cell gave each answer, by sex and age.
--
-- zone    confidential
-- kind    slice
-- reads   member_answers  one row per person and question
--         broad_cells     one row per cell that lies in a broad region
-- writes  one row per broad cell, answer and finest cell with people in the slice
--           broad_cell_id    integer   key of broad_cells
--           answer_id        integer   key of answers, within the slice
--           finest_position  utinyint  key of finest_cells: sex and age
--           exact_count      bigint    persons, >= 1
-- params  $first_cell_id  integer  first cell of the slice, a key of cells
--         $last_cell_id   integer  last cell of the slice
-- source  paper Algorithm 2, lines 20-31
-- why     Counted before they are exploded into iterations: most people of a county share few answers.
--         Slice by slice of cells, like all that people are counted in: the counts of a slice fit into memory.
select
    broad_cells.broad_cell_id,
    member_answers.answer_id,
    member_answers.finest_position,
    count(*) as exact_count
from member_answers
inner join broad_cells on member_answers.cell_id = broad_cells.cell_id
where member_answers.cell_id between $first_cell_id and $last_cell_id
group by broad_cells.broad_cell_id, member_answers.answer_id, member_answers.finest_position
