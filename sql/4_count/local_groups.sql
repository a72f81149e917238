-- local_groups: the local population groups with a sex-by-age table, by the cells of their regions.
--
-- zone    confidential
-- reads   chosen_groups   one row per population group with a sex-by-age table
--         region_breadth  one row per region
--         cell_regions    one row per cell and region it lies in
-- writes  one row per cell, local population group and stat level
--           cell_id              integer  key of cells
--           iteration_id         integer  key of iterations
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- source  paper Algorithm 2, lines 20-31
-- why     A table of its own: inside local_answers the engine joins it first, to six times as many rows.
select
    cell_regions.cell_id,
    chosen_groups.iteration_id,
    chosen_groups.population_group_id,
    chosen_groups.stat_level
from chosen_groups
inner join region_breadth on chosen_groups.region_key = region_breadth.region_key
inner join cell_regions on chosen_groups.region_key = cell_regions.region_key
where not region_breadth.is_broad
