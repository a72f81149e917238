-- local_answers: the answers, by geo unit, whose people count in each sex-by-age table of a local group.
--
-- zone    confidential
-- kind    slice
-- reads   local_groups       one row per geo unit, local population group and stat level
--         geo_unit_answers   one row per geo unit and answer with people
--         answer_iterations  one row per slice of geo units, answer and iteration
-- writes  one row per geo unit of the slice, answer, local population group and stat level
--           geo_unit_id          integer  key of geo_units
--           answer_id            integer  key of answers, within the slice
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 13
-- source  paper Algorithm 2, lines 20-31
-- why     Built one slice at a time, because every person is joined to it: for the whole nation it would have 78
--         million rows, which do not fit into memory; a tenth of them does. It is a table of its own, because within
--         local_group_finest_cells the engine would join the people to the groups instead.
select
    geo_unit_answers.geo_unit_id,
    geo_unit_answers.answer_id,
    local_groups.population_group_id,
    local_groups.stat_level
from geo_unit_answers
inner join answer_iterations on geo_unit_answers.answer_id = answer_iterations.answer_id
inner join local_groups
    on
        geo_unit_answers.geo_unit_id = local_groups.geo_unit_id
        and answer_iterations.iteration_id = local_groups.iteration_id
where
    answer_iterations.first_geo_unit_id = $first_geo_unit_id
    and geo_unit_answers.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
    and local_groups.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
