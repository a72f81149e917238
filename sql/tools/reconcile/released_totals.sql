-- released_totals: the totals of a ladder, of its own table of totals or rows of its table.
--
-- zone    published
-- reads   t1               one row per population group with a published count
--         t2               one row per population group and cell of its table
--         statistic_cells  one row per stat level and measured cell
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
-- params  {{ ladder_columns }}  name of each published column
-- source  tabulation.md section 6.3
-- why     t1 is empty where a ladder has no table of totals: then its total is the row that stat level 0 measures.
select
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    t1.COUNT,
    t1.VARIANCE,
    t1.MOE95,
    t1.LOW95,
    t1.HIGH95
from t1
union all
select
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    t2.COUNT,
    t2.VARIANCE,
    t2.MOE95,
    t2.LOW95,
    t2.HIGH95
from t2
inner join statistic_cells
    on
        statistic_cells.stat_level = 0
        and {{ ladder_columns | equal("t2", "statistic_cells") }}
