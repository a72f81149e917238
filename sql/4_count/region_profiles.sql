-- region_profiles: how many people of each profile each region has.
--
-- zone    confidential
-- reads   members       one row per person
--         cell_regions  one row per cell and region it lies in
-- writes  one row per region and profile with people
--           region_key   integer  key of regions
--           profile_id   integer  key of profiles
--           exact_count  bigint   persons, >= 1
-- source  tabulation.md sections 3 and 4
-- why     Counts of the finest cells add up to every region: people are grouped once, their counts rolled up.
with counted_cells as (
    -- one row per cell and profile with people
    select
        members.cell_id,
        members.profile_id,
        count(*) as exact_count
    from members
    group by members.cell_id, members.profile_id
)

select
    cell_regions.region_key,
    counted_cells.profile_id,
    cast(sum(counted_cells.exact_count) as bigint) as exact_count
from counted_cells
inner join cell_regions on counted_cells.cell_id = cell_regions.cell_id
group by cell_regions.region_key, counted_cells.profile_id
