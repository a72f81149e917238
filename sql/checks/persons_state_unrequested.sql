-- persons_state_unrequested: people of states that the parameters do not request.
--
-- zone    confidential
-- kind    note
-- reads   person_records  one row per person
-- where   {persons} [TABBLKST]
-- problem {n} record(s) of states that the parameters do not request: none of them is counted
-- fix     request the states (state_filter_us, run_us, run_pr) if their people should be counted
-- params  $states        varchar[]  two-digit codes of the requested states
--         $known_states  varchar[]  two-digit codes of the 50 states, DC and Puerto Rico
-- source  tabulation.md section 2.2
-- why     A file of the whole nation may be used for a run of one state, so this is no problem. The number is in the
--         confidential log, where the custodian can see that nobody was left out by mistake.
with known_states as (
    select unnest($known_states) as state
),

unrequested_states as (
    -- one row per state that is not requested
    select known_states.state
    from known_states
    where not list_contains($states, known_states.state)
)

select
    person_records.person_file,
    person_records.person_row,
    person_records.TABBLKST
from person_records
semi join unrequested_states on person_records.TABBLKST = unrequested_states.state
