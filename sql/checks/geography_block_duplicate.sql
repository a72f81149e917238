-- geography_block_duplicate: blocks that the geography lists more than once.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- where   {geography} [{place}]
-- problem {n} place(s) listed more than once
-- fix     keep one row for each place: a second row would count its people twice
-- params  {{ block_columns }}  name of each column that names a place
-- source  tabulation.md section 8
select
    {%- for column in block_columns %}
    geography_rows.{{ column | quoted }},
    {%- endfor %}
    count(*) as times
from geography_rows
group by
    {%- for column in block_columns %}
    geography_rows.{{ column | quoted }},
    {%- endfor %}
having count(*) > 1
