-- published_rows: every row of both published tables.
--
-- zone    published
-- kind    view
-- reads   t1  one row per population group with a published count
--         t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per row of t1 and of t2
--           TABLE           varchar  T1 or T2
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages; NULL in T1
--           AGEEND          varchar  last age of the bin, years; * for all ages; NULL in T1
--           SEX             varchar  1 male, 2 female; NULL in T1
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
-- source  tabulation.md section 7
-- why     A view, because a nation has 12 million rows and a sum asks for few of them. In a folder that `reconcile`
--         made, COUNT is a double.
select
    'T1' as "TABLE",
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    cast(null as varchar) as AGESTART,
    cast(null as varchar) as AGEEND,
    cast(null as varchar) as SEX,
    t1.COUNT,
    t1.VARIANCE,
    t1.MOE95
from t1
union all
select
    'T2' as "TABLE",
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    t2.AGESTART,
    t2.AGEEND,
    t2.SEX,
    t2.COUNT,
    t2.VARIANCE,
    t2.MOE95
from t2
