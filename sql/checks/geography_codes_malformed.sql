-- geography_codes_malformed: rows of the geography whose codes are not as the parameters say.
--
-- zone    public
-- reads   geography_rows   one row per row of the geography files
--         geography_areas  one row per part and combination of what tells regions
-- where   {geography} [{place}]
-- problem {n} code(s) that are missing, not of the right number of digits, or text with character 31
-- fix     give every digit of each code, but for zeros at its front; in a census, 99999 is no place and 9999 no
--         AIANNH area
-- params  {{ coded_columns }}  name and pattern of each column that tells regions, and names a place or has digits
--         {{ coded_places }}   name and pattern of each other column with codes, which may differ from row to row
-- source  tabulation.md section 2.2
select
    null as column_name,
    null as code
where false
{%- for column in coded_columns %}
union all
select
    {{ column | literal }} as column_name,
    geography_areas.{{ column | quoted }} as code
from geography_areas
cross join unnest(geography_areas.block_key) as each_row (place_key)
where regexp_full_match(geography_areas.{{ column | quoted }}, {{ coded_columns[column] | literal }}) is not true
{%- endfor %}
{%- for column in coded_places %}
union all
select
    {{ column | literal }} as column_name,
    geography_rows.{{ column | quoted }} as code
from geography_rows
where regexp_full_match(geography_rows.{{ column | quoted }}, {{ coded_places[column] | literal }}) is not true
{%- endfor %}
