-- exported_index: the index of the groups of a ladder, with the names that an export gives them.
--
-- zone    published
-- reads   group_index   one row per population group with a published count
--         export_codes  one row per column with codes, and code that has a name
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           LEVEL           varchar  its population group level, as the manifest names it
--           ITERATION_KIND  varchar  alone, combination, or the name of a question of one column
--           IS_TOTAL_ONLY   boolean  whether the group could get a total and nothing else
--           REGION_NAME     varchar  name of the region; NULL where nothing public gives one
--           ITERATION_NAME  varchar  name of the iteration
--           LADDER          varchar  the ladder, such as T2
--           STATISTIC       varchar  the table that the group got, or the name of the total
--           TABLE_ROWS      bigint   rows of the group in the table of the ladder
-- params  $table_name  varchar  the ladder
-- source  tabulation.md section 7.4
-- why     A name that is given when a release is exported stands over the one that the release has.
with named_regions as (
    select
        export_codes.region_type,
        export_codes.code,
        export_codes.meaning
    from export_codes
    where export_codes.column_name = 'REGION_ID'
),

named_iterations as (
    select
        export_codes.code,
        export_codes.meaning
    from export_codes
    where export_codes.column_name = 'ITERATION_CODE'
)

select
    group_index.REGION_ID,
    group_index.REGION_TYPE,
    group_index.ITERATION_CODE,
    group_index.LEVEL,
    group_index.ITERATION_KIND,
    group_index.IS_TOTAL_ONLY,
    coalesce(named_regions.meaning, group_index.REGION_NAME) as REGION_NAME,
    coalesce(named_iterations.meaning, group_index.ITERATION_NAME) as ITERATION_NAME,
    group_index.LADDER,
    group_index.STATISTIC,
    group_index.TABLE_ROWS
from group_index
left join named_regions
    on group_index.REGION_TYPE = named_regions.region_type and group_index.REGION_ID = named_regions.code
left join named_iterations on group_index.ITERATION_CODE = named_iterations.code
where group_index.LADDER = $table_name
order by group_index.REGION_TYPE, group_index.REGION_ID, group_index.ITERATION_CODE
