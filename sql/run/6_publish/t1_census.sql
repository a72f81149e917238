-- t1_census: the published totals with the columns of the production system.
--
-- zone    published
-- reads   t1  one row per population group with a published count
-- writes  one row per population group with a published count
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           COUNT           bigint   persons, noisy; may be negative
-- source  tabulation.md section 7 (--format census)
select
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    t1.COUNT
from t1
order by t1.REGION_TYPE, t1.REGION_ID, t1.ITERATION_CODE
