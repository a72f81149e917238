-- unit_groups: the population groups with a sex-by-age table, by the counting units of their regions.
--
-- zone    confidential
-- reads   chosen_groups  one row per population group with a sex-by-age table
--         unit_regions   one row per counting unit and region that adds it up
-- writes  one row per counting unit, population group and stat level
--           unit_id              integer  key of geo_units, or of broad_geo_units
--           iteration_id         integer  key of iterations
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- source  paper Algorithm 2, lines 20-31
select
    unit_regions.unit_id,
    chosen_groups.iteration_id,
    chosen_groups.population_group_id,
    chosen_groups.stat_level
from chosen_groups
inner join unit_regions on chosen_groups.region_key = unit_regions.region_key
