-- whole_t2: the published sex-by-age tables after least squares, whose counts are whole numbers, stored as such.
--
-- zone    published
-- reads   reconciled_t2  one row per population group and cell of its table
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages
--           AGEEND          varchar  last age of the bin, years; * for all ages
--           SEX             varchar  1 male, 2 female
--           COUNT           bigint   persons, reconciled to whole numbers; may be negative
--           VARIANCE        double   of COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           NOISY_COUNT     bigint   persons, as released
-- source  reconciliation.md section 9
-- why     Estimates are fractions, so a column of both is stored as double; where all are whole, they need not be.
select
    reconciled_t2.REGION_ID,
    reconciled_t2.REGION_TYPE,
    reconciled_t2.ITERATION_CODE,
    reconciled_t2.AGESTART,
    reconciled_t2.AGEEND,
    reconciled_t2.SEX,
    cast(reconciled_t2.COUNT as bigint) as COUNT,
    reconciled_t2.VARIANCE,
    reconciled_t2.MOE95,
    reconciled_t2.NOISY_COUNT
from reconciled_t2
