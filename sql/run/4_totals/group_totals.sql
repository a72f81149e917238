-- group_totals: how many people each population group has.
--
-- zone    confidential
-- reads   geo_unit_iterations  one row per geo unit and iteration with people
--         geo_unit_regions     one row per geo unit and region it lies in
--         level_regions        one row per population group level and region
--         level_iterations     one row per population group level and iteration it tabulates
-- writes  one row per population group with people
--           population_group_id  bigint  first id of its region and level + iteration position
--           exact_count          bigint  persons, >= 1
-- seconds 8
-- source  paper Algorithm 1, lines 7-10
-- why     Groups without people have no row here and get a count of zero when noise is added: the rows of this table
--         must never decide which rows are published.
with counted_iterations as (
    -- one row per region and iteration with people
    select
        geo_unit_regions.region_key,
        geo_unit_iterations.iteration_id,
        cast(sum(geo_unit_iterations.exact_count) as bigint) as exact_count
    from geo_unit_iterations
    inner join geo_unit_regions on geo_unit_iterations.geo_unit_id = geo_unit_regions.geo_unit_id
    group by geo_unit_regions.region_key, geo_unit_iterations.iteration_id
)

select
    level_regions.first_population_group_id + level_iterations.iteration_position as population_group_id,
    counted_iterations.exact_count
from counted_iterations
inner join level_regions on counted_iterations.region_key = level_regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and counted_iterations.iteration_id = level_iterations.iteration_id
