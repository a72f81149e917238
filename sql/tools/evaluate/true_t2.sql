-- true_t2: the published tables with the exact counts of the same rows.
--
-- zone    confidential
-- reads   t2        one row per population group and cell of its table, and one per group and published sum
--         exact_t2  one row per population group and row with people
-- writes  one row per population group and cell of its published table, and one per group and published sum
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           AGESTART        varchar  first age of the bin, years; * for all
--           AGEEND          varchar  last age of the bin, years; * for all
--           SEX             varchar  1 male, 2 female, * all
--           COUNT           bigint   persons, exact
--           VARIANCE        double   of the published count, persons squared
--           MOE95           double   half-width of its 95 % margin of error, persons
-- source  evaluation.md section 6
-- why     The checks of quality are asked of the truth too: what both have was not made by us.
select
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    t2.AGESTART,
    t2.AGEEND,
    t2.SEX,
    coalesce(exact_t2.COUNT, 0) as COUNT,
    t2.VARIANCE,
    t2.MOE95
from t2
left join exact_t2
    on
        t2.REGION_ID = exact_t2.REGION_ID
        and t2.REGION_TYPE = exact_t2.REGION_TYPE
        and t2.ITERATION_CODE = exact_t2.ITERATION_CODE
        and t2.AGESTART = exact_t2.AGESTART
        and t2.AGEEND = exact_t2.AGEEND
        and t2.SEX = exact_t2.SEX
