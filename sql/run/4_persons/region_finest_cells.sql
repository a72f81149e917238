-- region_finest_cells: the persons who count once in a group, by counting units that are regions.
--
-- zone    confidential
-- reads   person_finest_cells  one row per region, iteration, finest cell with people and bucket
--         iteration_tallies    one row per iteration and tally
-- writes  one row per region, iteration and finest cell with people
--           unit_id          integer    of the region: see unit_regions
--           tally_id         integer    of the iteration: see iteration_tallies
--           finest_position  usmallint  key of finest_values, such as sex and age
--           exact_count      integer    persons, >= 1
-- source  tabulation.md section 4.4
-- why     Added to unit_finest_cells. A person with records in two geo units counts once in a region of both, so these
--         persons are counted region by region.
select
    -person_finest_cells.region_key as unit_id,
    iteration_tallies.tally_id,
    person_finest_cells.finest_position,
    cast(sum(person_finest_cells.exact_count) as integer) as exact_count
from person_finest_cells
inner join iteration_tallies on person_finest_cells.iteration_id = iteration_tallies.iteration_id
where iteration_tallies.gives = 'once'
group by
    person_finest_cells.region_key,
    iteration_tallies.tally_id,
    person_finest_cells.finest_position
