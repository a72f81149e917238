-- unit_iterations: how many people of each counting unit are in each characteristic iteration.
--
-- zone    confidential
-- kind    slice
-- reads   geo_unit_finest_cells  one row per geo unit of the slice, iteration and finest cell with people
--         broad_geo_units        one row per geo unit that lies in a broad region
-- writes  one row per counting unit and iteration with people in the slice
--           unit_id       integer  key of geo_units, or of broad_geo_units
--           iteration_id  integer  key of iterations
--           exact_count   integer  persons, >= 1
-- seconds 10
-- source  paper Algorithm 1, lines 7-10
with geo_unit_iterations as (
    -- one row per geo unit and iteration with people
    select
        geo_unit_finest_cells.geo_unit_id,
        geo_unit_finest_cells.iteration_id,
        cast(sum(geo_unit_finest_cells.exact_count) as integer) as exact_count
    from geo_unit_finest_cells
    group by geo_unit_finest_cells.geo_unit_id, geo_unit_finest_cells.iteration_id
)

select
    geo_unit_iterations.geo_unit_id as unit_id,
    geo_unit_iterations.iteration_id,
    geo_unit_iterations.exact_count
from geo_unit_iterations
union all
select
    broad_geo_units.broad_geo_unit_id as unit_id,
    geo_unit_iterations.iteration_id,
    cast(sum(geo_unit_iterations.exact_count) as integer) as exact_count
from geo_unit_iterations
inner join broad_geo_units on geo_unit_iterations.geo_unit_id = broad_geo_units.geo_unit_id
group by broad_geo_units.broad_geo_unit_id, geo_unit_iterations.iteration_id
