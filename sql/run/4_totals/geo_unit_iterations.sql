-- geo_unit_iterations: how many people of each geo unit belong to each characteristic iteration.
--
-- zone    confidential
-- kind    slices
-- reads   geo_unit_answers   one row per geo unit and answer with people
--         answer_iterations  one row per slice of geo units, answer and iteration
-- writes  one row per geo unit and iteration with people
--           geo_unit_id   integer  key of geo_units
--           iteration_id  integer  key of iterations
--           exact_count   bigint   persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 13
-- source  tabulation.md section 4; paper Algorithm 1, line 7
-- why     Here, and only here, counts of people are spread over iterations; each region then adds up the counts of its
--         geo units.
select
    geo_unit_answers.geo_unit_id,
    answer_iterations.iteration_id,
    cast(sum(geo_unit_answers.exact_count) as bigint) as exact_count
from geo_unit_answers
inner join answer_iterations on geo_unit_answers.answer_id = answer_iterations.answer_id
where
    geo_unit_answers.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
    and answer_iterations.first_geo_unit_id = $first_geo_unit_id
group by geo_unit_answers.geo_unit_id, answer_iterations.iteration_id
