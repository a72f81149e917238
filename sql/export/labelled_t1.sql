-- labelled_t1: the published totals with the names of their codes.
--
-- zone    published
-- kind    view
-- reads   t1              one row per population group with a published count
--         exported_index  one row per population group with a published count
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ counted }}  bigint  {records}, noisy; may be negative; in a ladder of sums it is called SUM
--           VARIANCE        double   of the noise in {counted}, {records} squared; NULL for a sum of counts cut at 0
--           MOE95           double   half-width of the 95 % margin of error, {records}; NULL likewise
--           LOW95           bigint   lower end of the 95 % interval of the true count, {records}
--           HIGH95          bigint   upper end of the 95 % interval of the true count, {records}
--           {{ noisy_counts }}  bigint  of a reconciled row, {records} as released
--           LEVEL           varchar  population group level of the group
--           STATISTIC       varchar  the table that the group got, or the name of the total
--           REGION_NAME     varchar  name of the region; NULL where nothing public gives one
--           ITERATION_NAME  varchar  name of the iteration
-- params  {{ counted }}       the name of what is counted
--         {{ noisy_counts }}  NOISY_COUNT where the table has it
-- source  tabulation.md section 7.4
-- why     In a folder that `reconcile` made, COUNT is a double.
select
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    {{ counted | of("t1") }},
    t1.VARIANCE,
    t1.MOE95,
    t1.LOW95,
    t1.HIGH95,
    {{ noisy_counts | of("t1") }},
    exported_index.LEVEL,
    exported_index.STATISTIC,
    exported_index.REGION_NAME,
    exported_index.ITERATION_NAME
from t1
inner join exported_index
    on
        t1.REGION_TYPE = exported_index.REGION_TYPE
        and t1.REGION_ID = exported_index.REGION_ID
        and t1.ITERATION_CODE = exported_index.ITERATION_CODE
order by t1.REGION_TYPE, t1.REGION_ID, t1.ITERATION_CODE
