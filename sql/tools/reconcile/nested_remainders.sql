-- nested_remainders: the noisy sums of groups without a table, by the numbers that reconciling gives their parents.
--
-- zone    published
-- reads   remainders     one row per region type, region that it divides and iteration with such a sum
--         tree_regions   one row per region
--         nested_groups  one row per population group with a published count
-- writes  one row per region type, region that it divides and iteration with such a sum
--           iteration_number  bigint   as in nested_groups
--           region_key        integer  key of tree_regions: of the region that is divided
--           region_type       varchar  that divides it
--           members           bigint   how many regions of the type have no table of the iteration
--           noisy_count       bigint   noisy sum of the persons in them
--           variance          double   of the noise in noisy_count, persons squared
-- source  reconciliation.md section 3
-- why     An iteration without any published group is in no sum.
with numbered_iterations as (
    -- one row per iteration
    select
        nested_groups.iteration_code,
        min(nested_groups.iteration_number) as iteration_number
    from nested_groups
    group by nested_groups.iteration_code
)

select
    numbered_iterations.iteration_number,
    tree_regions.region_key,
    remainders.REGION_TYPE as region_type,
    remainders.MEMBERS as members,
    remainders.COUNT as noisy_count,
    remainders.VARIANCE as variance
from remainders
inner join tree_regions
    on remainders.PARENT_TYPE = tree_regions.region_type and remainders.PARENT_ID = tree_regions.region_id
inner join numbered_iterations on remainders.ITERATION_CODE = numbered_iterations.iteration_code
