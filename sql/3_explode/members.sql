-- members: the people of the requested states by cell and profile.
--
-- zone    confidential
-- reads   persons   one row per person who lives in a block of the requested states
--         profiles  one row per distinct sequence of race codes and ethnicity code
-- writes  one row per person
--           cell_id     integer   key of cells
--           profile_id  integer   key of profiles
--           sex         utinyint  1 male, 2 female
--           age         utinyint  years
-- source  tabulation.md section 4
-- why     A person's population groups are the regions of the cell times the iterations of the profile. They are
--         never written out: people are counted by cell and profile first, and the counts are exploded.
select
    persons.cell_id,
    profiles.profile_id,
    persons.sex,
    persons.age
from persons
inner join profiles
    on
        persons.race_codes_1_to_4 = profiles.race_codes_1_to_4
        and persons.race_codes_5_to_8 = profiles.race_codes_5_to_8
        and persons.ethnicity_code = profiles.ethnicity_code
