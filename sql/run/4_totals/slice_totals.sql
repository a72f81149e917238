-- slice_totals: how many people each population group has in each tally and slice of people.
--
-- zone    confidential
-- kind    slices
-- reads   unit_tallies       one row per counting unit and tally with people in the slice
--         unit_regions       one row per counting unit and region that adds it up
--         iteration_tallies  one row per iteration and tally
--         level_regions      one row per population group level and region
--         level_iterations   one row per population group level and iteration it tabulates
-- writes  one row per population group, tally with people and slice of people
--           population_group_id  bigint   first id of its region and level + iteration position
--           exact_count          integer  persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- seconds 12
-- source  paper Algorithm 1, lines 7-10
-- why     Tallies become iterations, several of which may count one tally; group_totals adds up tallies and slices.
--         Sorted, so that the totals of a range of groups are found without reading the others.
with counted_tallies as (
    -- one row per region and tally with people
    select
        unit_regions.region_key,
        unit_tallies.tally_id,
        cast(sum(unit_tallies.exact_count) as integer) as exact_count,
        {{ amounts | summed("unit_tallies") }}
    from unit_tallies
    inner join unit_regions on unit_tallies.unit_id = unit_regions.unit_id
    group by unit_regions.region_key, unit_tallies.tally_id
)

select
    level_regions.first_population_group_id + level_iterations.iteration_position as population_group_id,
    counted_tallies.exact_count,
    {{ amounts | of("counted_tallies") }}
from counted_tallies
inner join level_regions on counted_tallies.region_key = level_regions.region_key
inner join iteration_tallies on counted_tallies.tally_id = iteration_tallies.tally_id
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and iteration_tallies.iteration_id = level_iterations.iteration_id
order by population_group_id
