-- states_without_persons: requested states in which nobody lives.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [TABBLKST]
-- problem {n} state(s) requested without a single person
-- fix     take the state out of the parameters, or add its records
-- params  $states  varchar[]  two-digit codes of the requested states
-- source  tabulation.md section 8
with requested_states as (
    select unnest($states) as state
)

select requested_states.state
from requested_states
anti join person_records on requested_states.state = person_records.TABBLKST
