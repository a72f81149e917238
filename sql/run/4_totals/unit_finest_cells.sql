-- unit_finest_cells: how many people of each counting unit are in each tally, by finest cell.
--
-- zone    confidential
-- kind    slices
-- reads   geo_unit_finest_cells  one row per geo unit, tally and finest cell with people
--         broad_geo_units        one row per geo unit that lies in a broad region
-- writes  one row per counting unit, tally of a table, finest cell with people and slice of people
--           unit_id          integer    key of geo_units, or of broad_geo_units
--           tally_id         integer    key of iteration_tallies
--           finest_position  usmallint  key of finest_values, such as sex and age
--           exact_count      integer    persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- seconds 27
-- source  paper Algorithm 2, lines 20-31
-- why     Kept until the first noise has chosen the tables: nobody is counted twice. Tallies below 0 have no table.
select
    geo_unit_finest_cells.geo_unit_id as unit_id,
    geo_unit_finest_cells.tally_id,
    geo_unit_finest_cells.finest_position,
    geo_unit_finest_cells.exact_count,
    {{ amounts | of("geo_unit_finest_cells") }}
from geo_unit_finest_cells
where geo_unit_finest_cells.tally_id > 0
union all
select
    broad_geo_units.broad_geo_unit_id as unit_id,
    geo_unit_finest_cells.tally_id,
    geo_unit_finest_cells.finest_position,
    cast(sum(geo_unit_finest_cells.exact_count) as integer) as exact_count,
    {{ amounts | summed("geo_unit_finest_cells") }}
from geo_unit_finest_cells
inner join broad_geo_units on geo_unit_finest_cells.geo_unit_id = broad_geo_units.geo_unit_id
where geo_unit_finest_cells.tally_id > 0
group by
    broad_geo_units.broad_geo_unit_id,
    geo_unit_finest_cells.tally_id,
    geo_unit_finest_cells.finest_position
