-- chosen_profiles: which profiles feed which sex-by-age tables.
--
-- zone    confidential
-- reads   chosen_groups       one row per population group with a sex-by-age table
--         region_profiles     one row per region and profile with people
--         profile_iterations  one row per profile and iteration
-- writes  one row per population group with a sex-by-age table, stat level and profile with people in its region
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           region_key           integer  key of regions
--           profile_id           integer  key of profiles
-- source  paper Algorithm 2, lines 20-31
select
    chosen_groups.population_group_id,
    chosen_groups.stat_level,
    chosen_groups.region_key,
    region_profiles.profile_id
from region_profiles
inner join profile_iterations on region_profiles.profile_id = profile_iterations.profile_id
inner join chosen_groups
    on
        region_profiles.region_key = chosen_groups.region_key
        and profile_iterations.iteration_id = chosen_groups.iteration_id
