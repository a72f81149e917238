-- unit_groups: the population groups with a table, by the counting units of their regions.
--
-- zone    confidential
-- kind    slice
-- reads   chosen_groups      one row per population group with a table
--         unit_regions       one row per counting unit and region that adds it up
--         iteration_tallies  one row per iteration and tally
-- writes  one row per counting unit of a range, tally and population group with a table
--           unit_id              integer  key of geo_units, or of broad_geo_units
--           tally_id             integer  key of iteration_tallies
--           population_group_id  bigint   key of the group
-- params  $first_unit_id  integer  first counting unit of the range
--         $end_unit_id    integer  the unit after the last one
-- source  paper Algorithm 2, lines 20-31
-- why     Made range by range: a nation has fifty million of these rows, and memory holds one range.
select
    unit_regions.unit_id,
    iteration_tallies.tally_id,
    chosen_groups.population_group_id
from chosen_groups
inner join unit_regions on chosen_groups.region_key = unit_regions.region_key
inner join iteration_tallies on chosen_groups.iteration_id = iteration_tallies.iteration_id
where
    unit_regions.unit_id >= $first_unit_id
    and unit_regions.unit_id < $end_unit_id
