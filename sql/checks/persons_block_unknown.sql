-- persons_block_unknown: people of the requested parts in blocks that the geography lacks.
--
-- zone    confidential
-- kind    screened
-- reads   person_records  one row per person
--         geography_rows  one row per row of the geography files
-- where   {persons} [{place}]
-- problem {n} record(s) in a place that {geography} does not list
-- fix     add the place to the geography, correct the record, or leave such records out: unit.leave_out = ["place"]
-- leave   place
-- params  {{ block_columns }}  name of each column that names a place
--         {{ record_key }}     the expression of the key of a record
--         {{ geography_key }}  the expression of the key of a place
--         {{ is_requested }}   whether a record may be of a part that is run, as far as its own columns say
-- source  tabulation.md section 2.2
with listed_places as (
    -- one row per row of the geography files
    select {{ geography_key }} as place_key
    from geography_rows
)

select
    person_records.person_file,
    person_records.person_row
    {%- for column in block_columns %},
    person_records.{{ column | quoted }}
    {%- endfor %}
from person_records
anti join listed_places on {{ record_key }} = listed_places.place_key
where {{ is_requested }}
