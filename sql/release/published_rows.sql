-- published_rows: every row of the published tables of a ladder.
--
-- zone    published
-- kind    view
-- reads   t1  one row per population group with a published count
--         t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per row of t1 and of t2
--           TABLE           varchar  the ladder, such as T2, or its folder of totals, such as T1
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got; NULL in totals that stand apart
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ other_columns }}   varchar  NULL: columns of other ladders alone
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
-- params  {{ ladder_columns }}  name of each published column of the ladder
--         {{ other_columns }}   name of each that other ladders alone have
--         $table_name           varchar  name of the ladder
--         $totals_name          varchar  name of its folder of totals
--         $has_totals           boolean  whether it has one; else t1 holds rows of t2
-- source  tabulation.md section 7
-- why     A view: a nation has 12 million rows, and a sum asks for few of them. After `reconcile`, COUNT is a double.
select
    $totals_name as "TABLE",
    t1.REGION_ID,
    t1.REGION_TYPE,
    t1.ITERATION_CODE,
    cast(null as varchar) as STATISTIC,
    {%- for column in ladder_columns %}
    cast(null as varchar) as {{ column | quoted }},
    {%- endfor %}
    {%- for column in other_columns %}
    cast(null as varchar) as {{ column | quoted }},
    {%- endfor %}
    t1.COUNT,
    t1.VARIANCE,
    t1.MOE95
from t1
where $has_totals
union all
select
    $table_name as "TABLE",
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    t2.STATISTIC,
    {{ ladder_columns | of("t2") }},
    {%- for column in other_columns %}
    cast(null as varchar) as {{ column | quoted }},
    {%- endfor %}
    t2.COUNT,
    t2.VARIANCE,
    t2.MOE95
from t2
