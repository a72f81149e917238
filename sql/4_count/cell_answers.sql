-- cell_answers: how many people of each cell gave each answer.
--
-- zone    confidential
-- kind    slices
-- reads   member_answers  one row per person and question
-- writes  one row per cell and answer with people
--           cell_id      integer  key of cells
--           answer_id    integer  key of answers, within the slice of the cell
--           exact_count  bigint   persons, >= 1
-- params  $first_cell_id  integer  first cell of the slice, a key of cells
--         $last_cell_id   integer  last cell of the slice
-- source  tabulation.md section 4
select
    member_answers.cell_id,
    member_answers.answer_id,
    count(*) as exact_count
from member_answers
where member_answers.cell_id between $first_cell_id and $last_cell_id
group by member_answers.cell_id, member_answers.answer_id
