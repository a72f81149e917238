-- attack_counts: every exact count with people that is published, or that follows from published ones.
--
-- zone    confidential
-- reads   attack_atoms            one row per geo unit, iteration and finest cell with people
--         attack_totals           one row per population group with people
--         attack_tables           one row per population group with a table in the release that is attacked
--         chosen_groups           one row per population group with a table
--         geo_unit_regions        one row per geo unit and region it lies in
--         statistic_finest_cells  one row per statistic and finest cell
-- writes  one row per count of at least one person
--           node_id      bigint   1048576 times its group, plus 1 and the cell; of pieces of regions, below 0
--           kind         varchar  total, cell, or piece: an iteration in a geo unit, which nobody publishes
--           exact_count  bigint   persons, >= 1
--           cell_key     bigint   sum of the record keys modulo 2^32
-- source  evaluation.md section 7.1
select
    attack_totals.population_group_id * 1048576 as node_id,
    'total' as kind,
    attack_totals.exact_count,
    cast(attack_totals.record_keys % 4294967296 as bigint) as cell_key
from attack_totals
union all
select
    attack_tables.population_group_id * 1048576 + 1 + statistic_finest_cells.cell_position as node_id,
    'cell' as kind,
    cast(sum(attack_atoms.exact_count) as bigint) as exact_count,
    cast(sum(attack_atoms.record_keys) % 4294967296 as bigint) as cell_key
from attack_tables
inner join chosen_groups on attack_tables.population_group_id = chosen_groups.population_group_id
inner join geo_unit_regions on chosen_groups.region_key = geo_unit_regions.region_key
inner join attack_atoms
    on
        geo_unit_regions.geo_unit_id = attack_atoms.geo_unit_id
        and chosen_groups.iteration_id = attack_atoms.iteration_id
inner join statistic_finest_cells
    on
        attack_tables.statistic_id = statistic_finest_cells.statistic_id
        and attack_atoms.finest_position = statistic_finest_cells.finest_position
group by attack_tables.population_group_id, statistic_finest_cells.cell_position
union all
select
    -(cast(attack_atoms.geo_unit_id as bigint) * 1000000 + attack_atoms.iteration_id) as node_id,
    'piece' as kind,
    cast(sum(attack_atoms.exact_count) as bigint) as exact_count,
    cast(sum(attack_atoms.record_keys) % 4294967296 as bigint) as cell_key
from attack_atoms
group by attack_atoms.geo_unit_id, attack_atoms.iteration_id
