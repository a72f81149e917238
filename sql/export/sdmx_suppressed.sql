-- sdmx_suppressed: the bounds of groups without a row as observations of an SDMX data flow.
--
-- zone    published
-- reads   suppressed  one row per region type with suppressed totals and characteristic iteration that it tabulates
-- writes  one row per region type with suppressed totals and characteristic iteration that it tabulates
--           STRUCTURE     varchar  dataflow
--           STRUCTURE_ID  varchar  the data flow
--           ACTION        varchar  I: information
--           REGION_TYPE   varchar  the region type
--           ITERATION     varchar  characteristic iteration
--           OBS_VALUE     bigint   the largest noisy total that is not published, {records}
--           HIGH95        bigint   upper end of the one-sided 95 % interval of a group without a row, {records}
-- params  $dataflow  varchar  the data flow
-- source  tabulation.md section 7.4
select
    'dataflow' as STRUCTURE,
    $dataflow as STRUCTURE_ID,
    'I' as "ACTION",
    sdmx_id(suppressed.REGION_TYPE) as REGION_TYPE,
    sdmx_id(suppressed.ITERATION_CODE) as ITERATION,
    suppressed.SUPPRESSED_UP_TO as OBS_VALUE,
    suppressed.HIGH95
from suppressed
order by suppressed.REGION_TYPE, suppressed.ITERATION_CODE
