-- unnamed_rows: rows of population groups that may exist but that nothing names: only their region type is known.
--
-- zone    published
-- reads   row_shapes  one row per table, sex and age bin
-- writes  one row per suppressed region type, shape of a row, and stand-in for an unknown name
--           TABLE           varchar  T1 or T2
--           REGION_ID       varchar  NULL, or empty
--           REGION_TYPE     varchar  COUNTY, TRACT, ...
--           ITERATION_CODE  varchar  NULL, or empty
--           AGESTART        varchar  first age of the bin, years; * for all ages; NULL in T1
--           AGEEND          varchar  last age of the bin, years; * for all ages; NULL in T1
--           SEX             varchar  1 male, 2 female; NULL in T1
--           COUNT           bigint   NULL, or 0
-- params  $suppressed_types  varchar[]  region types whose small totals are not published
-- source  tabulation.md section 7
-- why     SQL has three truth values: a condition that is false where names are NULL, such as REGION_TYPE = 'USA', is
--         false for all names; any other condition may ask for groups that nobody has named. The empty name and 0 are
--         for conditions such as REGION_ID is not null.
with suppressed_types as (
    -- one row per suppressed region type
    select unnest($suppressed_types) as region_type
),

unknown_names as (
    -- one row per stand-in for an unknown name
    select
        unnest(['', null, '', null]) as region_id,
        unnest(['', '', null, null]) as iteration_code,
        unnest([0, 0, null, null]) as noisy_count
)

select
    row_shapes."TABLE",
    cast(unknown_names.region_id as varchar) as REGION_ID,
    cast(suppressed_types.region_type as varchar) as REGION_TYPE,
    cast(unknown_names.iteration_code as varchar) as ITERATION_CODE,
    row_shapes.AGESTART,
    row_shapes.AGEEND,
    row_shapes.SEX,
    cast(unknown_names.noisy_count as bigint) as COUNT
from suppressed_types
cross join row_shapes
cross join unknown_names
