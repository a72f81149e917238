-- cell_answers: how many people of each cell gave each answer.
--
-- zone    confidential
-- reads   member_answers  one row per person and question
-- writes  one row per cell and answer with people
--           cell_id      integer  key of cells
--           answer_id    integer  key of answers
--           exact_count  bigint   persons, >= 1
-- source  tabulation.md section 4
select
    member_answers.cell_id,
    member_answers.answer_id,
    count(*) as exact_count
from member_answers
group by member_answers.cell_id, member_answers.answer_id
