-- states_without_persons: requested states in which nobody lives.
--
-- zone    confidential
-- kind    warning
-- reads   person_records  one row per person
-- where   {persons} [TABBLKST]
-- problem {n} state(s) requested without a single person
-- fix     add its records if they are missing; if nobody lives there, leave the state in: parameters are public
-- params  $states  varchar[]  two-digit codes of the requested states
-- source  tabulation.md section 8
-- why     A warning and not a refusal, because a refusal could depend on one person: anyone who sees a release would
--         know that each of its states has at least one person.
with requested_states as (
    select unnest($states) as state
)

select requested_states.state
from requested_states
anti join person_records on requested_states.state = person_records.TABBLKST
