-- geography_block_duplicate: blocks that the geography lists more than once.
--
-- zone    public
-- reads   geography_rows   one row per row of the geography files
--         geography_areas  one row per part and combination of what tells regions
-- where   {geography} [{place}]
-- problem {n} place(s) listed more than once; all codes that mean no place are one
-- fix     keep one row for each place: a second row would count its people twice
-- params  {{ block_columns }}  name of each column that names a place
--         {{ geography_key }}  the expression of the key of a place
-- source  tabulation.md section 8
-- why     Keys are looked through in half of the time of rows.
with repeated_keys as (
    -- one row per key of several rows
    select listed.place_key
    from geography_areas
    cross join unnest(geography_areas.block_key) as listed (place_key)
    group by listed.place_key
    having count(*) > 1
)

select
    {%- for column in block_columns %}
    min(geography_rows.{{ column | quoted }}) as {{ column | quoted }},
    {%- endfor %}
    count(*) as times
from geography_rows
semi join repeated_keys on {{ geography_key }} = repeated_keys.place_key
group by {{ geography_key }}
