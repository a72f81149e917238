-- unit_tallies: how many people of each counting unit are in each tally.
--
-- zone    confidential
-- kind    slice
-- reads   geo_unit_finest_cells  one row per geo unit, tally and finest cell with people
--         broad_geo_units        one row per geo unit that lies in a broad region
-- writes  one row per counting unit and tally with people in the slice
--           unit_id       integer  key of geo_units, or of broad_geo_units
--           tally_id      integer  key of iteration_tallies
--           exact_count   integer  persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- seconds 6
-- source  paper Algorithm 1, lines 7-10
-- why     Tallies below 0 are wanted for broad regions alone: see iteration_tallies.
with geo_unit_tallies as (
    -- one row per geo unit and tally with people
    select
        geo_unit_finest_cells.geo_unit_id,
        geo_unit_finest_cells.tally_id,
        cast(sum(geo_unit_finest_cells.exact_count) as integer) as exact_count,
        {{ amounts | summed("geo_unit_finest_cells") }}
    from geo_unit_finest_cells
    group by geo_unit_finest_cells.geo_unit_id, geo_unit_finest_cells.tally_id
)

select
    geo_unit_tallies.geo_unit_id as unit_id,
    geo_unit_tallies.tally_id,
    geo_unit_tallies.exact_count,
    {{ amounts | of("geo_unit_tallies") }}
from geo_unit_tallies
where geo_unit_tallies.tally_id > 0
union all
select
    broad_geo_units.broad_geo_unit_id as unit_id,
    geo_unit_tallies.tally_id,
    cast(sum(geo_unit_tallies.exact_count) as integer) as exact_count,
    {{ amounts | summed("geo_unit_tallies") }}
from geo_unit_tallies
inner join broad_geo_units on geo_unit_tallies.geo_unit_id = broad_geo_units.geo_unit_id
group by broad_geo_units.broad_geo_unit_id, geo_unit_tallies.tally_id
