-- local_answers: which answers in which geo units feed which sex-by-age tables of local population groups.
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
-- why     Slice by slice, for everybody is looked up among these rows: a nation's 78 million do not fit into memory,
--         a tenth of them do. A table of its own: inside local_group_finest_cells the engine joins people to groups.
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
