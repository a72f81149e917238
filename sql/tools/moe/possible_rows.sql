-- possible_rows: every row that the tables of a ladder could have for the groups that the release names.
--
-- zone    published
-- reads   t1          one row per population group with a published count
--         row_shapes  one row per table and row that it may have
-- writes  one row per population group and row it could have
--           TABLE           varchar  the ladder, such as T2, or its folder of totals, such as T1
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got; NULL in totals that stand apart
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ other_columns }}   varchar  NULL: columns of other ladders alone
--           COUNT           bigint   NULL
--           is_published    boolean  whether the group has a total in t1
-- params  {{ ladder_columns }}  name of each published column of the ladder
--         {{ other_columns }}   name of each that other ladders alone have
-- source  tabulation.md section 7
-- why     Rows that a condition asks for may be missing from the release. Every region of a type is tabulated by every
--         iteration of the type; the rows are of all tables of the release.
with named_regions as (
    -- one row per region that some total names
    select distinct
        t1.REGION_TYPE,
        t1.REGION_ID
    from t1
),

named_iterations as (
    -- one row per region type and iteration that some total names
    select distinct
        t1.REGION_TYPE,
        t1.ITERATION_CODE
    from t1
)

select
    row_shapes."TABLE",
    named_regions.REGION_ID,
    named_regions.REGION_TYPE,
    named_iterations.ITERATION_CODE,
    row_shapes.STATISTIC,
    {{ ladder_columns | of("row_shapes") }},
    {{ other_columns | of("row_shapes") }},
    cast(null as bigint) as COUNT,
    t1.REGION_ID is not null as is_published
from named_regions
inner join named_iterations on named_regions.REGION_TYPE = named_iterations.REGION_TYPE
cross join row_shapes
left join t1
    on
        named_regions.REGION_TYPE = t1.REGION_TYPE
        and named_regions.REGION_ID = t1.REGION_ID
        and named_iterations.ITERATION_CODE = t1.ITERATION_CODE
