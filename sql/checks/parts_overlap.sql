-- parts_overlap: rows of the geography that lie in two parts.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- where   {geography} [{place}]
-- problem {n} row(s) that lie in two of the parts
-- fix     change the `where` of one part: the budgets of parts do not add up, because no record is in two
-- params  {{ block_columns }}  name of each column that names a place
-- source  tabulation.md section 2.2
select
    {%- for column in block_columns %}
    geography_rows.{{ column | quoted }},
    {%- endfor %}
    geography_rows.part_name as parts
from geography_rows
where contains(geography_rows.part_name, ', ')
