-- attack_members: which counts add up to which other count: what everybody knows who subtracts.
--
-- zone    confidential
-- reads   attack_totals           one row per population group with people
--         attack_tables           one row per population group with a table in the release that is attacked
--         attack_parts            one row per region that divides one of another type
--         regions                 one row per region
--         level_regions           one row per population group level and region
--         level_iterations        one row per population group level and iteration it tabulates
--         geo_unit_regions        one row per geo unit and region it lies in
--         statistic_finest_cells  one row per statistic and finest cell
-- writes  one row per count that is a part of another one
--           family_name  varchar  cells; STATE of USA, by region types; of pieces, with a star in place of their type
--           whole_id     bigint   key of attack_counts
--           part_id      bigint   key of attack_counts; counts without people have no row there
-- source  evaluation.md section 7.2
-- why     Regions that cross (a place and its tracts) have pieces in common, which nobody publishes: their counts
--         follow by subtraction, and may be of one person. Wholes without people have no parts with people, and are
--         left out.
with listed_cells as (
    -- one row per statistic and cell
    select distinct
        statistic_finest_cells.statistic_id,
        statistic_finest_cells.cell_position
    from statistic_finest_cells
)

select
    'cells' as family_name,
    attack_tables.population_group_id * 1048576 as whole_id,
    attack_tables.population_group_id * 1048576 + 1 + listed_cells.cell_position as part_id
from attack_tables
inner join listed_cells on attack_tables.statistic_id = listed_cells.statistic_id
union all
select
    part_regions.region_type || ' of ' || regions.region_type as family_name,
    attack_totals.population_group_id * 1048576 as whole_id,
    (level_regions.first_population_group_id + level_iterations.iteration_position) * 1048576 as part_id
from attack_totals
inner join regions on attack_totals.region_key = regions.region_key
inner join attack_parts on attack_totals.region_key = attack_parts.whole_key
inner join regions as part_regions on attack_parts.part_key = part_regions.region_key
inner join level_regions on attack_parts.part_key = level_regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and attack_totals.iteration_id = level_iterations.iteration_id
union all
select
    '* of ' || regions.region_type as family_name,
    attack_totals.population_group_id * 1048576 as whole_id,
    -(cast(geo_unit_regions.geo_unit_id as bigint) * 1000000 + attack_totals.iteration_id) as part_id
from attack_totals
inner join regions on attack_totals.region_key = regions.region_key
inner join geo_unit_regions on attack_totals.region_key = geo_unit_regions.region_key
where attack_totals.region_key not in (select attack_parts.whole_key from attack_parts)
