-- blocks: the blocks of the requested states, each with a key that is one number.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- writes  one row per block of the requested states
--           block_key   bigint   the 15 digits of state, county, tract and block
--           TABBLKST    varchar  state, 2 digits
--           TABBLKCOU   varchar  county in the state, 3 digits
--           TABTRACTCE  varchar  tract in the county, 6 digits
--           TABBLK      varchar  block in the tract, 4 digits
--           PLACEFP     varchar  place in the state, 5 digits; 99999 none
--           AIANNHCE    varchar  AIANNH area, 4 digits; 9999 none
-- params  $states  varchar[]  two-digit codes of the requested states
--         {{ extra_columns }}  further columns of the file, for region types of your own
-- seconds 2
-- source  tabulation.md sections 2.2 and 3 (the regions of a run are those of this file)
-- why     Persons are joined to blocks on block_key: joining 331 million rows on one number is cheap, joining them on
--         four texts is not.
select
    cast(
        geography_rows.TABBLKST || geography_rows.TABBLKCOU || geography_rows.TABTRACTCE || geography_rows.TABBLK
        as bigint
    ) as block_key,
    geography_rows.TABBLKST,
    geography_rows.TABBLKCOU,
    geography_rows.TABTRACTCE,
    geography_rows.TABBLK,
    geography_rows.PLACEFP,
    geography_rows.AIANNHCE
    {%- for column in extra_columns %},
    geography_rows.{{ column }}
    {%- endfor %}
from geography_rows
where list_contains($states, geography_rows.TABBLKST)
