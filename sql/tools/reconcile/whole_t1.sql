-- whole_t1: the published totals after least squares, whose counts are whole numbers, stored as such.
--
-- zone    published
-- reads   reconciled_t1  one row per population group with a published count
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           bigint   persons, reconciled to whole numbers; may be negative
--           VARIANCE        double   of COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
--           NOISY_COUNT     bigint   {records}, as released
-- source  reconciliation.md section 8
-- why     Estimates are fractions, so a column of both is stored as double; where all are whole, they need not be.
select
    reconciled_t1.REGION_ID,
    reconciled_t1.REGION_TYPE,
    reconciled_t1.ITERATION_CODE,
    cast(reconciled_t1.COUNT as bigint) as COUNT,
    reconciled_t1.VARIANCE,
    reconciled_t1.MOE95,
    reconciled_t1.LOW95,
    reconciled_t1.HIGH95,
    reconciled_t1.NOISY_COUNT
from reconciled_t1
