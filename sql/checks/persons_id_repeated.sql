-- persons_id_repeated: records without an id, and records whose id another record also has.
--
-- zone    confidential
-- each    named_ids
-- reads   person_records  one row per person
-- where   {persons} [unit.id]
-- problem {n} record(s) whose id is missing or occurs more than once
-- fix     name a column with an id of each record, not of each person; or keep one record for each person. If a person
--         has several, leave unit.id out, and write under [unit] one, many and records_of_a_person
-- whole   the other record of an id may be in another part
-- source  tabulation.md section 2.1
with repeated_ids as (
    -- one row per id that is missing or occurs more than once
    select person_records.PERSON_ID as id
    from person_records
    group by person_records.PERSON_ID
    having count(*) > 1 or person_records.PERSON_ID is null
)

select
    person_records.person_file,
    person_records.person_row,
    person_records.PERSON_ID
from person_records
semi join repeated_ids on person_records.PERSON_ID is not distinct from repeated_ids.id
