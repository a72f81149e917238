-- reconciled_t2: the published sex-by-age tables after least squares.
--
-- zone    published
-- reads   t2                 one row per population group and cell of its table
--         nested_groups      one row per population group with a published count, of the region types that nest
--         statistic_cells    one row per stat level and measured cell
--         reconciled_counts  one row per reconciled row of t1 or t2; filled by least squares
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages
--           AGEEND          varchar  last age of the bin, years; * for all ages
--           SEX             varchar  1 male, 2 female
--           COUNT           double   persons, reconciled; may be negative
--           VARIANCE        double   of COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           NOISY_COUNT     bigint   persons, as released
-- source  reconciliation.md sections 4 and 5
-- why     A row that nothing binds stays as it was released.
select
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    t2.AGESTART,
    t2.AGEEND,
    t2.SEX,
    coalesce(reconciled_counts.estimate, cast(t2.COUNT as double)) as COUNT,
    coalesce(reconciled_counts.variance, t2.VARIANCE) as VARIANCE,
    coalesce(reconciled_counts.moe95, t2.MOE95) as MOE95,
    t2.COUNT as NOISY_COUNT
from t2
left join nested_groups
    on
        t2.REGION_TYPE = nested_groups.region_type
        and t2.REGION_ID = nested_groups.region_id
        and t2.ITERATION_CODE = nested_groups.iteration_code
left join statistic_cells
    on
        nested_groups.stat_level = statistic_cells.stat_level
        and t2.AGESTART = statistic_cells.AGESTART
        and t2.SEX = statistic_cells.SEX
left join reconciled_counts
    on
        nested_groups.group_id = reconciled_counts.group_id
        and coalesce(statistic_cells.cell_position, -1 - cast(t2.SEX as integer)) = reconciled_counts.cell_position
order by
    t2.REGION_TYPE,
    t2.REGION_ID,
    t2.ITERATION_CODE,
    try_cast(t2.AGESTART as integer) nulls first,
    t2.SEX
