-- tree_regions: every region that reconciling knows, and the larger region that it divides.
--
-- zone    published
-- reads   regions          one row per region
--         region_parents   one row per region
--         released_totals  one row per population group with a published count
-- writes  one row per region
--           region_key         integer  1, 2, ...
--           region_type        varchar  USA, STATE, COUNTY, ...
--           region_id          varchar  e.g. 44007 for a county
--           parent_region_key  integer  key of tree_regions; NULL where its region type divides no other
-- source  reconciliation.md section 2
-- why     Without a geography, regions of types with suppressed totals are in no tree, but may have stage-1 totals.
with other_regions as (
    -- one row per region that has a published total and is not in the tree
    select
        released_totals.REGION_TYPE as region_type,
        released_totals.REGION_ID as region_id
    from released_totals
    left join regions
        on released_totals.REGION_TYPE = regions.region_type and released_totals.REGION_ID = regions.region_id
    where regions.region_key is null
    group by released_totals.REGION_TYPE, released_totals.REGION_ID
)

select
    regions.region_key,
    regions.region_type,
    regions.region_id,
    region_parents.parent_region_key
from regions
inner join region_parents on regions.region_key = region_parents.region_key
union all
select
    cast(
        (select count(*) from regions)
        + row_number() over (order by other_regions.region_type, other_regions.region_id) as integer
    ) as region_key,
    other_regions.region_type,
    other_regions.region_id,
    cast(null as integer) as parent_region_key
from other_regions
