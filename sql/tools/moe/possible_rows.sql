-- possible_rows: every row that t1 and t2 could have for the population groups that are known.
--
-- zone    published
-- reads   named_regions     one row per region type and region
--         named_iterations  one row per region type and characteristic iteration
--         t1                one row per population group with a published count
--         t2                one row per population group with a sex-by-age table, sex and age bin
-- writes  one row per population group and row it could have
--           TABLE           varchar  T1 or T2
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages; NULL in T1
--           AGEEND          varchar  last age of the bin, years; * for all ages; NULL in T1
--           SEX             varchar  1 male, 2 female; NULL in T1
--           COUNT           bigint   NULL
--           is_published    boolean  whether the group has a total in t1
--           group_number    bigint   tells the groups apart
-- source  tabulation.md section 7
-- why     A condition that chooses rows is tried here too, because rows that it asks for may be missing from the
--         release. Every region of a type is tabulated by every iteration of the type; age bins are those of all tables
--         of the release.
with row_shapes as (
    -- one row per table, sex and age bin
    select distinct
        'T2' as published_table,
        t2.AGESTART as age_start,
        t2.AGEEND as age_end,
        t2.SEX as sex
    from t2
    union all
    select
        'T1' as published_table,
        null as age_start,
        null as age_end,
        null as sex
)

select
    row_shapes.published_table as "TABLE",
    named_regions.REGION_ID,
    named_regions.REGION_TYPE,
    named_iterations.ITERATION_CODE,
    row_shapes.age_start as AGESTART,
    row_shapes.age_end as AGEEND,
    row_shapes.sex as SEX,
    cast(null as bigint) as COUNT,
    t1.REGION_ID is not null as is_published,
    named_regions.region_number * 4294967296 + named_iterations.iteration_number as group_number
from named_regions
inner join named_iterations on named_regions.REGION_TYPE = named_iterations.REGION_TYPE
cross join row_shapes
left join t1
    on
        named_regions.REGION_TYPE = t1.REGION_TYPE
        and named_regions.REGION_ID = t1.REGION_ID
        and named_iterations.ITERATION_CODE = t1.ITERATION_CODE
