-- states_without_blocks: requested states without a block in the geography.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- where   {geography} [TABBLKST]
-- problem {n} state(s) requested without a single block
-- fix     take the state out of the parameters, or add its blocks
-- params  $states  varchar[]  two-digit codes of the requested states
-- source  tabulation.md section 8
with requested_states as (
    select unnest($states) as state
)

select requested_states.state
from requested_states
anti join geography_rows on requested_states.state = geography_rows.TABBLKST
