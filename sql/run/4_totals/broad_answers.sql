-- broad_answers: how many people of each broad geo unit gave each answer, by sex and age.
--
-- zone    confidential
-- kind    slice
-- reads   member_answers   one row per person and question
--         broad_geo_units  one row per geo unit that lies in a broad region
-- writes  one row per broad geo unit, answer and finest cell with people in the slice
--           broad_geo_unit_id  integer   key of broad_geo_units
--           answer_id          integer   key of answers, within the slice
--           finest_position    utinyint  key of finest_cells: sex and age
--           exact_count        bigint    persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 20
-- source  paper Algorithm 2, lines 20-31
-- why     People are counted before they are spread over iterations, because most people of a county share few answers.
--         Like every table that counts people it is made one slice of geo units at a time, so that the counts of a
--         slice fit into memory.
select
    broad_geo_units.broad_geo_unit_id,
    member_answers.answer_id,
    member_answers.finest_position,
    count(*) as exact_count
from member_answers
inner join broad_geo_units on member_answers.geo_unit_id = broad_geo_units.geo_unit_id
where member_answers.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
group by broad_geo_units.broad_geo_unit_id, member_answers.answer_id, member_answers.finest_position
