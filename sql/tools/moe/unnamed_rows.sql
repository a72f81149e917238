-- unnamed_rows: rows of population groups that may exist but that nothing names: only their region type is known.
--
-- zone    published
-- reads   row_shapes  one row per table and row that it may have
-- writes  one row per suppressed region type, shape of a row, and stand-in for an unknown name
--           TABLE           varchar  the ladder, such as T2, or its folder of totals, such as T1
--           REGION_ID       varchar  NULL, or empty
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  NULL, or empty
--           STATISTIC       varchar  the table that the group got; NULL in totals that stand apart
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ other_columns }}   varchar  NULL: columns of other ladders alone
--           COUNT           bigint   NULL, or 0
-- params  $suppressed_types     varchar[]  region types whose small totals are not published
--         {{ ladder_columns }}  name of each published column of the ladder
--         {{ other_columns }}   name of each that other ladders alone have
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
    row_shapes.STATISTIC,
    {%- for column in ladder_columns %}
    row_shapes.{{ column | quoted }},
    {%- endfor %}
    {%- for column in other_columns %}
    row_shapes.{{ column | quoted }},
    {%- endfor %}
    cast(unknown_names.noisy_count as bigint) as COUNT
from suppressed_types
cross join row_shapes
cross join unknown_names
