-- t1_census: the published totals with the columns of the production system.
--
-- zone    published
-- reads   t1  one row per population group with a published count
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           bigint   {records}, noisy; may be negative
-- source  tabulation.md section 7 (--format census)
select
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    t1.COUNT
from t1
order by t1.REGION_TYPE, t1.REGION_ID, t1.ITERATION_CODE
