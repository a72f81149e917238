-- member_answers: the people of the requested states, once with each of their two answers.
--
-- zone    confidential
-- kind    view
-- reads   members  one row per person
-- writes  one row per person and question
--           geo_unit_id      integer   key of geo_units
--           finest_position  utinyint  key of finest_cells: sex and age
--           answer_id        integer   key of answers, within the slice of the geo unit
-- source  tabulation.md section 4
-- why     No iteration mixes the two questions, so each person is counted once for the answer to each question.
select
    members.geo_unit_id,
    members.finest_position,
    members.race_answer_id as answer_id
from members
union all
select
    members.geo_unit_id,
    members.finest_position,
    members.ethnicity_answer_id as answer_id
from members
