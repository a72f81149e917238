-- attack_atoms: exact counts of the finest pieces that are counted, each with the sum of its people's record keys.
--
-- zone    confidential
-- reads   unit_finest_cells  one row per counting unit, tally of a table, finest cell with people and slice of people
--         geo_units          one row per distinct combination of regions
--         iteration_tallies  one row per iteration and tally
-- writes  one row per geo unit, iteration and finest cell with people
--           geo_unit_id      integer    key of geo_units
--           iteration_id     integer    key of iterations
--           finest_position  usmallint  key of finest_values
--           exact_count      bigint     persons, >= 1
--           record_keys      bigint     sum of keys of 32 bits
-- source  evaluation.md section 7.1
-- why     The sum of uniform record keys modulo 2^32 is uniform itself, and independent for other people. So each tally
--         of a piece gets one hash for all its people, and the keys of any sum of pieces have the law that keys of
--         records give; the same people have the same key wherever they are tabulated.
select
    unit_finest_cells.unit_id as geo_unit_id,
    iteration_tallies.iteration_id,
    unit_finest_cells.finest_position,
    cast(sum(unit_finest_cells.exact_count) as bigint) as exact_count,
    cast(
        sum(
            hash(unit_finest_cells.unit_id, unit_finest_cells.tally_id, unit_finest_cells.finest_position)
            % cast(4294967296 as ubigint)
        ) as bigint
    ) as record_keys
from unit_finest_cells
inner join geo_units on unit_finest_cells.unit_id = geo_units.geo_unit_id
inner join iteration_tallies on unit_finest_cells.tally_id = iteration_tallies.tally_id
group by
    unit_finest_cells.unit_id,
    iteration_tallies.iteration_id,
    unit_finest_cells.finest_position
