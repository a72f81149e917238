-- reconciled_t1: the published totals after least squares.
--
-- zone    published
-- reads   released_totals    one row per population group with a published count
--         nested_groups      one row per population group with a published count
--         reconciled_counts  one row per reconciled row of t1 or t2; filled by least squares
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           double   persons, reconciled; may be negative
--           VARIANCE        double   of COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
--           NOISY_COUNT     bigint   {records}, as released
-- params  $total_row  integer  row_id of totals: -1 where they stand in t1
-- source  reconciliation.md sections 5 and 6
-- why     A row that nothing makes better stays as it was released.
select
    released_totals.REGION_ID,
    released_totals.REGION_TYPE,
    released_totals.ITERATION_CODE,
    coalesce(reconciled_counts.estimate, cast(released_totals.COUNT as double)) as COUNT,
    coalesce(reconciled_counts.variance, released_totals.VARIANCE) as VARIANCE,
    coalesce(reconciled_counts.moe95, released_totals.MOE95) as MOE95,
    coalesce(reconciled_counts.low95, released_totals.LOW95) as LOW95,
    coalesce(reconciled_counts.high95, released_totals.HIGH95) as HIGH95,
    released_totals.COUNT as NOISY_COUNT
from released_totals
left join nested_groups
    on
        released_totals.REGION_TYPE = nested_groups.region_type
        and released_totals.REGION_ID = nested_groups.region_id
        and released_totals.ITERATION_CODE = nested_groups.iteration_code
left join reconciled_counts
    on nested_groups.group_id = reconciled_counts.group_id and reconciled_counts.row_id = $total_row
order by released_totals.REGION_TYPE, released_totals.REGION_ID, released_totals.ITERATION_CODE
