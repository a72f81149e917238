-- reconciled_t1: the published totals after least squares.
--
-- zone    published
-- reads   t1                 one row per population group with a published count
--         nested_groups      one row per population group with a published count, of the region types that nest
--         reconciled_counts  one row per reconciled row of t1 or t2; filled by least squares
-- writes  one row per population group with a published count
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           COUNT           double   persons, reconciled; may be negative
--           VARIANCE        double   of COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           NOISY_COUNT     bigint   persons, as released
-- source  reconciliation.md sections 4 and 5
-- why     A row that nothing binds stays as it was released.
select
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    coalesce(reconciled_counts.estimate, cast(t1.COUNT as double)) as COUNT,
    coalesce(reconciled_counts.variance, t1.VARIANCE) as VARIANCE,
    coalesce(reconciled_counts.moe95, t1.MOE95) as MOE95,
    t1.COUNT as NOISY_COUNT
from t1
left join nested_groups
    on
        t1.REGION_TYPE = nested_groups.region_type
        and t1.REGION_ID = nested_groups.region_id
        and t1.ITERATION_CODE = nested_groups.iteration_code
left join reconciled_counts
    on nested_groups.group_id = reconciled_counts.group_id and reconciled_counts.cell_position = -1
order by t1.REGION_TYPE, t1.REGION_ID, t1.ITERATION_CODE
