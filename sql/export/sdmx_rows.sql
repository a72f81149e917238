-- sdmx_rows: the published rows of a ladder as observations of an SDMX data flow.
--
-- zone    published
-- reads   exported_rows   one row per row of t1 and of t2
--         exported_index  one row per population group with a published count
-- writes  one row per row of t1 and of t2
--           STRUCTURE       varchar  dataflow
--           STRUCTURE_ID    varchar  the data flow
--           ACTION          varchar  I: information
--           REGION          varchar  region type, @ and id of the region
--           ITERATION       varchar  characteristic iteration
--           {{ sdmx_columns }}  varchar  the value of each attribute; _T for all
--           OBS_VALUE       bigint   {records}, noisy; may be negative
--           VARIANCE        double   of the noise, {records} squared; NULL for a sum of counts cut at 0
--           MOE95           double   half-width of the 95 % margin of error, persons; NULL likewise
--           LOW95           bigint   lower end of the 95 % interval of the true count, {records}
--           HIGH95          bigint   upper end of the 95 % interval of the true count, {records}
--           {{ noisy_counts }}  bigint  of a reconciled row, {records} as released
--           IS_MARGINAL     boolean  whether the row is a sum of other rows of its group
--           STATISTIC       varchar  the table that the group got, or the name of the total
--           LEVEL           varchar  population group level of the group
-- params  $dataflow           varchar  the data flow
--         $ladder_rows        bigint   number of rows of the ladder
--         {{ sdmx_columns }}  name of each attribute, and its code in each row
--         {{ noisy_counts }}  NOISY_COUNT where the tables have it
-- source  tabulation.md section 7.4
-- why     A code becomes an identifier once for each group and row of the ladder, not for each observation.
with numbered_rows as (
    -- one row per row of the ladder, and one for totals that stand apart
    select unnest(range($ladder_rows + 1)) as row_number
),

coded_rows as (
    -- one row per row of the ladder, and one for totals that stand apart
    select
        numbered_rows.row_number as row_id
        {%- for column in sdmx_columns %},
        sdmx_id(
            list_extract({{ sdmx_columns[column] | literal }}, numbered_rows.row_number + 1)
        ) as {{ column | quoted }}
        {%- endfor %}
    from numbered_rows
),

coded_groups as (
    -- one row per population group with a published count
    select
        exported_index.REGION_TYPE,
        exported_index.REGION_ID,
        exported_index.ITERATION_CODE,
        exported_index.LEVEL,
        sdmx_id(exported_index.REGION_TYPE || '@' || exported_index.REGION_ID) as region,
        sdmx_id(exported_index.ITERATION_CODE) as iteration,
        sdmx_id(exported_index.STATISTIC) as statistic
    from exported_index
)

select
    'dataflow' as STRUCTURE,
    $dataflow as STRUCTURE_ID,
    'I' as "ACTION",
    coded_groups.region as REGION,
    coded_groups.iteration as ITERATION,
    {{ sdmx_columns | of("coded_rows") }},
    exported_rows.COUNT as OBS_VALUE,
    exported_rows.VARIANCE,
    exported_rows.MOE95,
    exported_rows.LOW95,
    exported_rows.HIGH95,
    {{ noisy_counts | of("exported_rows") }},
    exported_rows.IS_MARGINAL,
    coded_groups.statistic as STATISTIC,
    coded_groups.LEVEL
from exported_rows
inner join coded_rows on exported_rows.row_id = coded_rows.row_id
inner join coded_groups
    on
        exported_rows.REGION_TYPE = coded_groups.REGION_TYPE
        and exported_rows.REGION_ID = coded_groups.REGION_ID
        and exported_rows.ITERATION_CODE = coded_groups.ITERATION_CODE
order by exported_rows.REGION_TYPE, exported_rows.REGION_ID, exported_rows.ITERATION_CODE, exported_rows.row_id
