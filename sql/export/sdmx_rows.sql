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
--         {{ sdmx_columns }}  name of each attribute, and its code in each row
--         {{ noisy_counts }}  NOISY_COUNT where the tables have it
-- source  tabulation.md section 7.4
select
    'dataflow' as STRUCTURE,
    $dataflow as STRUCTURE_ID,
    'I' as "ACTION",
    sdmx_id(exported_rows.REGION_TYPE || '@' || exported_rows.REGION_ID) as REGION,
    sdmx_id(exported_rows.ITERATION_CODE) as ITERATION,
    {%- for column in sdmx_columns %}
    sdmx_id(list_extract({{ sdmx_columns[column] | literal }}, exported_rows.row_id + 1)) as {{ column | quoted }},
    {%- endfor %}
    exported_rows.COUNT as OBS_VALUE,
    exported_rows.VARIANCE,
    exported_rows.MOE95,
    exported_rows.LOW95,
    exported_rows.HIGH95,
    {%- for column in noisy_counts %}
    exported_rows.{{ column }},
    {%- endfor %}
    exported_rows.IS_MARGINAL,
    sdmx_id(exported_rows.STATISTIC) as STATISTIC,
    exported_index.LEVEL
from exported_rows
inner join exported_index
    on
        exported_rows.REGION_TYPE = exported_index.REGION_TYPE
        and exported_rows.REGION_ID = exported_index.REGION_ID
        and exported_rows.ITERATION_CODE = exported_index.ITERATION_CODE
order by exported_rows.REGION_TYPE, exported_rows.REGION_ID, exported_rows.ITERATION_CODE, exported_rows.row_id
