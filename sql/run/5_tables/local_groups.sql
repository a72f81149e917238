-- local_groups: the local population groups with a sex-by-age table, by the geo units of their regions.
--
-- zone    confidential
-- reads   chosen_groups     one row per population group with a sex-by-age table
--         region_breadth    one row per region
--         geo_unit_regions  one row per geo unit and region it lies in
-- writes  one row per geo unit, local population group and stat level
--           geo_unit_id          integer  key of geo_units
--           iteration_id         integer  key of iterations
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- source  paper Algorithm 2, lines 20-31
-- why     A table of its own, because within local_answers the engine would start with this join, and with six times as
--         many rows.
select
    geo_unit_regions.geo_unit_id,
    chosen_groups.iteration_id,
    chosen_groups.population_group_id,
    chosen_groups.stat_level
from chosen_groups
inner join region_breadth on chosen_groups.region_key = region_breadth.region_key
inner join geo_unit_regions on chosen_groups.region_key = geo_unit_regions.region_key
where not region_breadth.is_broad
