-- local_group_finest_cells: exact counts by finest cell of the local population groups with a sex-by-age table.
--
-- zone    confidential
-- kind    slices
-- reads   member_answers  one row per person and question
--         local_answers   one row per geo unit of the slice, answer, local population group and stat level
-- writes  one row per local population group, stat level, finest cell with people and slice of geo units
--           population_group_id  bigint    key of the group
--           stat_level           tinyint   1 age4, 2 age9, 3 age23
--           finest_position      utinyint  key of finest_cells: sex and age
--           exact_count          bigint    persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 17
-- source  paper Algorithm 2, lines 20-31
-- why     The rows of each slice are appended to the rows of the slices before.
select
    local_answers.population_group_id,
    local_answers.stat_level,
    member_answers.finest_position,
    count(*) as exact_count
from member_answers
inner join local_answers
    on
        member_answers.geo_unit_id = local_answers.geo_unit_id
        and member_answers.answer_id = local_answers.answer_id
where member_answers.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
group by
    local_answers.population_group_id,
    local_answers.stat_level,
    member_answers.finest_position
