-- region_parents: for each region, the larger region that it and other regions of its type divide completely.
--
-- zone    public
-- reads   regions           one row per region
--         geo_unit_regions  one row per geo unit and region it lies in
-- writes  one row per region
--           region_key         integer  key of regions
--           region_type        varchar  USA, STATE, COUNTY, ...
--           parent_region_key  integer  key of regions; NULL where its region type divides no other
-- source  tabulation.md section 3
-- why     Region types are parameters, so which type divides which is read from the geography: every region of the
--         inner type lies in one region of the outer type, and together they fill it. Places leave gaps, and AIANNH
--         areas cross states, so they divide nothing. If a type divides several others, the one with the most regions
--         is taken, so that counties divide states, and states the nation. If two types have the same regions, the type
--         with the longer ids is the inner one.
with sized_regions as (
    -- one row per region
    select
        regions.region_key,
        regions.region_type,
        length(regions.region_id) as id_length,
        count(*) as cells
    from regions
    inner join geo_unit_regions on regions.region_key = geo_unit_regions.region_key
    group by regions.region_key, regions.region_type, regions.region_id
),

sized_types as (
    -- one row per region type
    select
        sized_regions.region_type,
        row(count(*), max(sized_regions.id_length), sized_regions.region_type) as fineness,
        count(*) as regions,
        sum(sized_regions.cells) as cells
    from sized_regions
    group by sized_regions.region_type
),

shared_cells as (
    -- one row per pair of regions that share geo units
    select
        inner_cells.region_key as inner_key,
        outer_cells.region_key as outer_key,
        count(*) as cells
    from geo_unit_regions as inner_cells
    inner join geo_unit_regions as outer_cells on inner_cells.geo_unit_id = outer_cells.geo_unit_id
    where inner_cells.region_key <> outer_cells.region_key
    group by inner_cells.region_key, outer_cells.region_key
),

enclosed_regions as (
    -- one row per region and region of another type that it lies in
    select
        inner_regions.region_key as inner_key,
        inner_regions.region_type as inner_type,
        inner_regions.cells,
        outer_regions.region_key as outer_key,
        outer_regions.region_type as outer_type
    from shared_cells
    inner join sized_regions as inner_regions
        on shared_cells.inner_key = inner_regions.region_key and shared_cells.cells = inner_regions.cells
    inner join sized_regions as outer_regions on shared_cells.outer_key = outer_regions.region_key
),

dividing_types as (
    -- one row per pair of region types of which the inner divides the outer, best outer first
    select
        inner_types.region_type as inner_type,
        outer_types.region_type as outer_type,
        row_number() over (
            partition by inner_types.region_type order by outer_types.fineness desc
        ) as choice
    from enclosed_regions
    inner join sized_types as inner_types on enclosed_regions.inner_type = inner_types.region_type
    inner join sized_types as outer_types on enclosed_regions.outer_type = outer_types.region_type
    where outer_types.fineness < inner_types.fineness
    group by
        inner_types.region_type, inner_types.regions,
        outer_types.region_type, outer_types.fineness, outer_types.cells
    having count(*) = inner_types.regions and sum(enclosed_regions.cells) = outer_types.cells
)

select
    regions.region_key,
    regions.region_type,
    enclosed_regions.outer_key as parent_region_key
from regions
left join dividing_types on regions.region_type = dividing_types.inner_type and dividing_types.choice = 1
left join enclosed_regions
    on
        regions.region_key = enclosed_regions.inner_key
        and dividing_types.outer_type = enclosed_regions.outer_type
