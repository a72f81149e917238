-- geography_rows: the geography file with its codes as text, whatever type they were stored in.
--
-- zone    public
-- kind    view
-- reads   $geography  Parquet files, one row per block
-- writes  one row per row of the geography files
--           TABBLKST    varchar  state, 2 digits
--           TABBLKCOU   varchar  county in the state, 3 digits
--           TABTRACTCE  varchar  tract in the county, 6 digits
--           TABBLK      varchar  block in the tract, 4 digits
--           PLACEFP     varchar  place in the state, 5 digits; 99999 none
--           AIANNHCE    varchar  AIANNH area, 4 digits; 9999 none
-- params  $geography  varchar[]  paths of the files
--         {{ geography_columns }}        the expression that reads each of the six columns by its stored type
--         {{ extra_columns }}  further columns of the file, kept as text for region types of your own
-- source  tabulation.md section 2.2
select
    {{ geography_columns.TABBLKST }} as TABBLKST,
    {{ geography_columns.TABBLKCOU }} as TABBLKCOU,
    {{ geography_columns.TABTRACTCE }} as TABTRACTCE,
    {{ geography_columns.TABBLK }} as TABBLK,
    {{ geography_columns.PLACEFP }} as PLACEFP,
    {{ geography_columns.AIANNHCE }} as AIANNHCE
    {%- for column in extra_columns %},
    cast({{ column }} as varchar) as {{ column }}
    {%- endfor %}
from read_parquet($geography, union_by_name = true)
