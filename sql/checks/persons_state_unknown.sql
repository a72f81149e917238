-- persons_state_unknown: people in a state that there is not.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [TABBLKST]
-- problem {n} record(s) with two digits that are no state, nor Puerto Rico (72)
-- fix     correct the state, or leave the records out: no run would count them
-- params  $known_states  varchar[]  two-digit codes of the 50 states, DC and Puerto Rico
-- source  tabulation.md section 2.2
-- why     Each distinct value is looked at once; what is not two digits is persons_block_malformed's.
with counted_states as (
    -- one row per distinct value
    select
        person_records.TABBLKST as state,
        count(*) as records
    from person_records
    group by person_records.TABBLKST
),

unknown_states as (
    -- one row per state that there is not
    select counted_states.state
    from counted_states
    where
        regexp_full_match(counted_states.state, '[0-9]{2}')
        and not list_contains($known_states, counted_states.state)
)

select
    person_records.person_file,
    person_records.person_row,
    person_records.TABBLKST
from person_records
semi join unknown_states on person_records.TABBLKST = unknown_states.state
