-- geo_unit_answers: how many people of each geo unit gave each answer.
--
-- zone    confidential
-- kind    slices
-- reads   member_answers  one row per person and question
-- writes  one row per geo unit and answer with people
--           geo_unit_id  integer  key of geo_units
--           answer_id    integer  key of answers, within the slice of the geo unit
--           exact_count  bigint   persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 9
-- source  tabulation.md section 4
select
    member_answers.geo_unit_id,
    member_answers.answer_id,
    count(*) as exact_count
from member_answers
where member_answers.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
group by member_answers.geo_unit_id, member_answers.answer_id
