-- persons_place_unrequested: records of places that the parameters do not request.
--
-- zone    confidential
-- kind    screened note
-- reads   person_records  one row per person
--         geography_rows  one row per row of the geography files
-- where   {persons} [{place}]
-- problem {n} record(s) of places that the parameters do not request: none of them is counted
-- fix     request their part or their state if they should be counted
-- params  {{ block_columns }}  name of each column that names a place
--         {{ record_key }}     the expression of the key of a record
--         {{ geography_key }}  the expression of the key of a place
-- source  tabulation.md section 2.2
-- why     A file of the whole nation may be used for a run of one state, so this is no problem. The number is in the
--         confidential log, where the custodian can see that nobody was left out by mistake.
with requested_places as (
    -- one row per place of the parts that are run
    select {{ geography_key }} as place_key
    from geography_rows
    where geography_rows.part_name <> ''
)

select
    person_records.person_file,
    person_records.person_row
    {%- for column in block_columns %},
    person_records.{{ column.quoted }}
    {%- endfor %}
from person_records
anti join requested_places on {{ record_key }} = requested_places.place_key
