-- t2_census: the published tables of the ladder with the columns of the production system.
--
-- zone    published
-- reads   t2           one row per population group and cell of its table, and one per group and published sum
--         ladder_rows  one row per combination of published codes
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           COUNT           bigint   {records}, noisy; may be negative
-- params  {{ ladder_columns }}      name of each published column
--         $published_statistics  varchar[]  the statistics whose tables are written
-- source  tabulation.md section 7 (--format census)
-- why     Production writes sex by age into one file, and each table of households into one of its own.
select
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    {{ ladder_columns | of("t2") }},
    t2.COUNT
from t2
inner join ladder_rows
    on
        true
        and {{ ladder_columns | equal("t2", "ladder_rows") }}
where list_contains($published_statistics, t2.STATISTIC)
order by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE, ladder_rows.row_id
