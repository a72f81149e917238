-- person_groups: the regions and iterations that each person of a bucket is in, once each.
--
-- zone    confidential
-- kind    slice
-- reads   record_tallies      one row per kept record, question and tally, some more than once, and some with NULL
--         iteration_tallies   one row per iteration and tally
--         geo_unit_regions    one row per geo unit and region it lies in
--         level_regions       one row per population group level and region
--         level_iterations    one row per population group level and iteration it tabulates
-- writes  one row per person, region and iteration
--           region_key       integer    key of regions
--           iteration_id     integer    key of iterations
--           finest_position  usmallint  key of finest_values: of the first kept record in the group
--           level_id         integer    key of levels; NULL where nothing bounds the groups of a person
--           is_counted       boolean    whether the person counts in it: it is among the first groups of its level
-- params  {{ group_bounds }}  the most groups of a level that a person counts in, if anything bounds them
-- source  tabulation.md section 4.4
-- why     Here the records of a person become one. Where groups are bounded, no level has shares, so a region and an
--         iteration are a group of one level.
with all_groups as (
    -- one row per person, region and iteration
    select
        record_tallies.person_key,
        geo_unit_regions.region_key,
        iteration_tallies.iteration_id,
        arg_min(record_tallies.finest_position, record_tallies.kept_place) as finest_position
    from record_tallies
    inner join iteration_tallies on record_tallies.tally_id = iteration_tallies.tally_id
    inner join geo_unit_regions on record_tallies.geo_unit_id = geo_unit_regions.geo_unit_id
    group by record_tallies.person_key, geo_unit_regions.region_key, iteration_tallies.iteration_id
)

{%- for most_groups in group_bounds %}

select
    all_groups.region_key,
    all_groups.iteration_id,
    all_groups.finest_position,
    level_regions.level_id,
    row_number() over (
        partition by all_groups.person_key, level_regions.level_id
        order by
            md5_number(
                concat_ws(
                    chr(31),
                    all_groups.person_key,
                    level_regions.first_population_group_id + level_iterations.iteration_position
                )
            ),
            level_iterations.iteration_position,
            level_regions.first_population_group_id
    ) <= {{ most_groups }} as is_counted
from all_groups
inner join level_regions on all_groups.region_key = level_regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and all_groups.iteration_id = level_iterations.iteration_id
{%- else %}

select
    all_groups.region_key,
    all_groups.iteration_id,
    all_groups.finest_position,
    cast(null as integer) as level_id,
    true as is_counted
from all_groups
{%- endfor %}
