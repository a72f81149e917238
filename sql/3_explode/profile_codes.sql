-- profile_codes: the race codes of each profile, as a set.
--
-- zone    confidential
-- reads   profiles  one row per distinct sequence of race codes and ethnicity code
-- writes  one row per profile and distinct race code
--           profile_id  integer    key of profiles
--           code        usmallint  race code
-- source  tabulation.md section 2.1 (a code that stands twice counts once)
with unpacked_profiles as (
    -- one row per profile and place of a race code
    select
        profiles.profile_id,
        unnest([
            profiles.race_codes_1_to_4 // 1000000000000,
            profiles.race_codes_1_to_4 // 100000000 % 10000,
            profiles.race_codes_1_to_4 // 10000 % 10000,
            profiles.race_codes_1_to_4 % 10000,
            profiles.race_codes_5_to_8 // 1000000000000,
            profiles.race_codes_5_to_8 // 100000000 % 10000,
            profiles.race_codes_5_to_8 // 10000 % 10000,
            profiles.race_codes_5_to_8 % 10000
        ]) as code
    from profiles
)

select distinct
    unpacked_profiles.profile_id,
    cast(unpacked_profiles.code as usmallint) as code
from unpacked_profiles
where unpacked_profiles.code > 0
