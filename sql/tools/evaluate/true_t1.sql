-- true_t1: the published totals with the exact counts of the same groups.
--
-- zone    confidential
-- reads   t1        one row per population group with a published count
--         exact_t1  one row per population group with people
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           bigint   persons, exact
--           VARIANCE        double   of the published count, persons squared
-- source  evaluation.md section 6
-- why     The checks of quality are asked of the truth too: what both have was not made by us.
select
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    coalesce(exact_t1.COUNT, 0) as COUNT,
    t1.VARIANCE
from t1
left join exact_t1
    on
        t1.REGION_ID = exact_t1.REGION_ID
        and t1.REGION_TYPE = exact_t1.REGION_TYPE
        and t1.ITERATION_CODE = exact_t1.ITERATION_CODE
