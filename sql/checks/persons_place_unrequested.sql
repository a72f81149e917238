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
--         {{ is_requested }}   whether a record may be of a part that is run, as far as its own columns say
-- source  tabulation.md section 2.2
-- why     No problem: a file of the nation may be used for a run of one state. Others are of persons_block_unknown.
with listed_places as (
    -- one row per place of the geography files
    select
        {{ geography_key }} as place_key,
        bool_or(geography_rows.part_name <> '') as is_run
    from geography_rows
    group by {{ geography_key }}
)

select
    person_records.person_file,
    person_records.person_row,
    {{ block_columns | of("person_records") }}
from person_records
left join listed_places on {{ record_key }} = listed_places.place_key
where not coalesce(listed_places.is_run, {{ is_requested }})
