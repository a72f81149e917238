-- chosen_members: the people of the profiles that feed a sex-by-age table, by region, sex and age.
--
-- zone    confidential
-- reads   chosen_profiles  one row per population group, stat level and profile
--         cell_regions     one row per cell and region it lies in
--         members          one row per person
-- writes  one row per region, profile, sex and year of age with people
--           region_key   integer   key of regions
--           profile_id   integer   key of profiles
--           sex          utinyint  1 male, 2 female
--           age          utinyint  years
--           exact_count  bigint    persons, >= 1
-- source  paper Algorithm 2, lines 20-31
-- why     Only people whom some table needs are counted by age, and they are counted before they are joined to
--         the tables: a profile feeds several iterations.
with needed_profiles as (
    -- one row per region and profile
    select distinct
        chosen_profiles.region_key,
        chosen_profiles.profile_id
    from chosen_profiles
)

select
    cell_regions.region_key,
    members.profile_id,
    members.sex,
    members.age,
    count(*) as exact_count
from members
inner join cell_regions on members.cell_id = cell_regions.cell_id
inner join needed_profiles
    on
        cell_regions.region_key = needed_profiles.region_key
        and members.profile_id = needed_profiles.profile_id
group by cell_regions.region_key, members.profile_id, members.sex, members.age
