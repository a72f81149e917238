-- persons_block_unknown: people of the requested parts in blocks that the geography lacks.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
--         geography_rows  one row per row of the geography files
-- where   {persons} [{place}]
-- problem {n} record(s) in a place that {geography} does not list
-- fix     add the place to the geography, correct the record, say place.null = "9999" of what means no place, or
--         place.other of all that is not listed; or leave such records out: unit.leave_out = ["place"]
-- leave   place
-- params  {{ block_columns }}  name of each column that names a place
--         {{ record_key }}     the expression of the key of a record
--         {{ geography_key }}  the expression of the key of a place
--         {{ place_groups }}   what tells its places apart
--         {{ must_be_listed }}  whether a record may be of a part that is run, as far as its own columns say
-- source  tabulation.md section 2.2
with listed_places as (
    -- one row per place, and place of which a record may name some columns alone
    select {{ geography_key }} as place_key
    from geography_rows
    group by {{ place_groups }}
)

select
    person_records.person_file,
    person_records.person_row,
    {{ block_columns | of("person_records") }}
from person_records
anti join listed_places on {{ record_key }} = listed_places.place_key
where ({{ must_be_listed }}) and {{ record_key }} is not null
