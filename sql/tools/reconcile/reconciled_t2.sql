-- reconciled_t2: the published tables of a ladder after least squares.
--
-- zone    published
-- reads   t2                 one row per population group and cell of its table
--         nested_groups      one row per population group with a published count
--         ladder_rows        one row per combination of published codes
--         ladder_statistics  one row per stat level
--         statistic_cells    one row per stat level and measured cell
--         reconciled_counts  one row per reconciled row of t1 or t2; filled by least squares
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ number_columns }}  integer  the first and the last number, such as AGE_START and AGE_END; NULL for all
--           IS_MARGINAL     boolean  whether the row is a sum of other rows of its group in this table
--           COUNT           double   persons, reconciled; may be negative
--           VARIANCE        double   of COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
--           NOISY_COUNT     bigint   {records}, as released
-- params  {{ ladder_columns }}  name of each published column
--         {{ number_columns }}  name of each column of numbers
-- source  reconciliation.md sections 5 and 6
-- why     A row that nothing makes better stays as it was released.
select
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    ladder_statistics.statistic_name as STATISTIC,
    {{ ladder_columns | of("t2") }},
    {{ number_columns | of("ladder_rows") }},
    statistic_cells.row_id is null as IS_MARGINAL,
    coalesce(reconciled_counts.estimate, cast(t2.COUNT as double)) as COUNT,
    coalesce(reconciled_counts.variance, t2.VARIANCE) as VARIANCE,
    coalesce(reconciled_counts.moe95, t2.MOE95) as MOE95,
    coalesce(reconciled_counts.low95, t2.LOW95) as LOW95,
    coalesce(reconciled_counts.high95, t2.HIGH95) as HIGH95,
    t2.COUNT as NOISY_COUNT
from t2
inner join ladder_rows
    on
        true
        and {{ ladder_columns | equal("t2", "ladder_rows") }}
inner join nested_groups
    on
        t2.REGION_TYPE = nested_groups.region_type
        and t2.REGION_ID = nested_groups.region_id
        and t2.ITERATION_CODE = nested_groups.iteration_code
inner join ladder_statistics on nested_groups.stat_level = ladder_statistics.stat_level
left join statistic_cells
    on nested_groups.stat_level = statistic_cells.stat_level and ladder_rows.row_id = statistic_cells.row_id
left join reconciled_counts
    on nested_groups.group_id = reconciled_counts.group_id and ladder_rows.row_id = reconciled_counts.row_id
order by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE, ladder_rows.row_id
