-- geography_block_duplicate: blocks that the geography lists more than once.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- where   {geography} [{place}]
-- problem {n} place(s) listed more than once; all codes that mean no place are one
-- fix     keep one row for each place: a second row would count its people twice
-- params  {{ block_columns }}  name of each column that names a place
--         {{ geography_key }}  the expression of the key of a place
-- source  tabulation.md section 8
select
    {%- for column in block_columns %}
    min(geography_rows.{{ column | quoted }}) as {{ column | quoted }},
    {%- endfor %}
    count(*) as times
from geography_rows
where {{ geography_key }} is not null
group by {{ geography_key }}
having count(*) > 1
