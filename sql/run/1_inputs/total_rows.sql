-- total_rows: the published totals that pick tables, as they stand in a release.
--
-- zone    public
-- reads   $totals  Parquet files, one row per population group with a published total
-- writes  one row per row of the published totals
--           region_id        varchar  e.g. 44007 for a county
--           region_type      varchar  USA, STATE, COUNTY, ...
--           iteration_code   varchar  characteristic iteration, 4 digits
--           published_count  bigint   noisy; NULL where it is no whole number
--           given_count      varchar  as it is written in the file
-- params  $totals  varchar[]  paths of the files
--         {{ total_columns }}  the expression that reads each column by its stored type
-- source  tabulation.md section 5.8
-- why     Whatever was published is public. It decides which groups are tabulated before any record is read.
select
    {{ total_columns.REGION_ID }} as region_id,
    {{ total_columns.REGION_TYPE }} as region_type,
    {{ total_columns.ITERATION_CODE }} as iteration_code,
    signed_number_from_text({{ total_columns.COUNT }}) as published_count,
    {{ total_columns.COUNT }} as given_count
from read_parquet($totals, union_by_name = true, hive_types_autocast = false)
