-- whole_t2: the published tables of a ladder after least squares, whose counts are whole numbers, stored as such.
--
-- zone    published
-- reads   reconciled_t2  one row per population group and cell of its table
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ number_columns }}  integer  the first and the last number, such as AGE_START and AGE_END; NULL for all
--           IS_MARGINAL     boolean  whether the row is a sum of other rows of its group in this table
--           COUNT           bigint   persons, reconciled to whole numbers; may be negative
--           VARIANCE        double   of COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
--           NOISY_COUNT     bigint   {records}, as released
-- params  {{ ladder_columns }}  name of each published column
--         {{ number_columns }}  name of each column of numbers
-- source  reconciliation.md section 8
-- why     Estimates are fractions, so a column of both is stored as double; where all are whole, they need not be.
select
    reconciled_t2.REGION_ID,
    reconciled_t2.REGION_TYPE,
    reconciled_t2.ITERATION_CODE,
    reconciled_t2.STATISTIC,
    {{ ladder_columns | of("reconciled_t2") }},
    {{ number_columns | of("reconciled_t2") }},
    reconciled_t2.IS_MARGINAL,
    cast(reconciled_t2.COUNT as bigint) as COUNT,
    reconciled_t2.VARIANCE,
    reconciled_t2.MOE95,
    reconciled_t2.LOW95,
    reconciled_t2.HIGH95,
    reconciled_t2.NOISY_COUNT
from reconciled_t2
