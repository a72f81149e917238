-- group_cells: exact sex-by-age counts of the population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   chosen_profiles  one row per population group, stat level and profile
--         chosen_members   one row per region, profile, sex and year of age with people
--         statistic_ages   one row per stat level, sex and year of age
-- writes  one row per population group, stat level and sex-by-age cell with people
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           cell_position        integer  key of statistic_cells within the stat level
--           exact_count          bigint   persons, >= 1
-- source  paper Algorithm 2, lines 20-31
-- why     Cells with nobody are absent here and get their zero when noise is added: the rows of this table must
--         never decide which rows are published.
select
    chosen_profiles.population_group_id,
    chosen_profiles.stat_level,
    statistic_ages.cell_position,
    cast(sum(chosen_members.exact_count) as bigint) as exact_count
from chosen_profiles
inner join chosen_members
    on
        chosen_profiles.region_key = chosen_members.region_key
        and chosen_profiles.profile_id = chosen_members.profile_id
inner join statistic_ages
    on
        chosen_profiles.stat_level = statistic_ages.stat_level
        and chosen_members.sex = statistic_ages.sex
        and chosen_members.age = statistic_ages.age
group by chosen_profiles.population_group_id, chosen_profiles.stat_level, statistic_ages.cell_position
