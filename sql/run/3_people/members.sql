-- members: the people of the requested states by geo unit, finest cell and answers.
--
-- zone    confidential
-- kind    slices
-- reads   persons  one row per person who lives in a block of the requested states
--         answers  one row per distinct answer to either question in the slice
-- writes  one row per person
--           geo_unit_id          integer   key of geo_units
--           finest_position      utinyint  key of finest_cells: sex and age
--           race_answer_id       integer   key of answers, within the slice of the geo unit
--           ethnicity_answer_id  integer   likewise
-- drops   persons
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 21
-- source  tabulation.md section 4
-- why     A person's population groups are all pairs of a region of the geo unit and an iteration of either answer.
--         These pairs are never written out for each person: people are counted by geo unit and answer first, and then
--         the counts are spread over regions and iterations.
select
    persons.geo_unit_id,
    persons.finest_position,
    race_answers.answer_id as race_answer_id,
    ethnicity_answers.answer_id as ethnicity_answer_id
from persons
inner join answers as race_answers
    on
        persons.race_codes_1_to_4 = race_answers.race_codes_1_to_4
        and persons.race_codes_5_to_8 = race_answers.race_codes_5_to_8
inner join answers as ethnicity_answers
    on persons.ethnicity_code = ethnicity_answers.ethnicity_code
where persons.geo_unit_id between $first_geo_unit_id and $last_geo_unit_id
