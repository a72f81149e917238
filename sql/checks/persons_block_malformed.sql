-- persons_block_malformed: people whose block is not spelled as the parameters say.
--
-- zone    confidential
-- reads   person_records  one row per person
-- where   {persons} [{place}]
-- problem {n} code(s) of a place that are missing, or of another number of digits than its codes have
-- fix     give each code in full, leading zeros included; say what means no place, place.null = "9999", to count such
--         records where everybody is; or leave them out: unit.leave_out = ["place"]
-- leave   place
-- params  {{ block_columns }}  name of each column that names a place, and the pattern of its values
-- seconds 4
-- source  tabulation.md section 2.1
-- why     Each distinct value is checked once: matching every record against a pattern takes several times as long.
with places as not materialized (
    select
        person_records.person_file,
        person_records.person_row
        {%- for column in block_columns %},
        person_records.{{ column | quoted }}
        {%- endfor %}
    from person_records
)

select
    null as person_file,
    null as person_row,
    null as column_name,
    null as code
where false
{%- for column in block_columns %}
union
select
    places.person_file,
    places.person_row,
    {{ column | literal }} as column_name,
    places.{{ column | quoted }} as code
from places
semi join (
    -- one row per distinct value that is malformed
    select counted_values.code
    from (
        select
            places.{{ column | quoted }} as code,
            count(*) as records
        from places
        group by places.{{ column | quoted }}
    ) as counted_values
    where
        counted_values.code is null
        or not regexp_full_match(counted_values.code, {{ block_columns[column] | literal }})
) as malformed_values
    on places.{{ column | quoted }} is not distinct from malformed_values.code
{%- endfor %}
