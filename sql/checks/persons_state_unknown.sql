-- persons_state_unknown: people whose state does not exist.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [TABBLKST]
-- problem {n} record(s) whose two-digit state is neither a state nor Puerto Rico (72)
-- fix     correct the state, or leave the records out: no run would count them
-- params  $known_states  varchar[]  two-digit codes of the 50 states, DC and Puerto Rico
-- source  tabulation.md section 2.2
-- why     Each distinct value is checked once; values that are not two digits are reported by persons_block_malformed.
with counted_states as (
    -- one row per distinct value
    select
        person_records.TABBLKST as state,
        count(*) as records
    from person_records
    group by person_records.TABBLKST
),

unknown_states as (
    -- one row per state that does not exist
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
