-- parts_without_blocks: values of the requested parts that no row of the geography has.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- where   {geography} [{place}]
-- problem {n} value(s) of the parts to be run that no row has
-- fix     take the value out of the parameters, or add its rows
-- params  {{ part_values }}  column and listed values of each part that is run
-- source  tabulation.md section 8
select
    null as column_name,
    null as part_value
where false
{%- for part in part_values %}
union all
select
    {{ part.name | literal }} as column_name,
    listed_values.part_value
from unnest({{ part.listed | literal }}) as listed_values (part_value)
anti join geography_rows on listed_values.part_value = geography_rows.{{ part.name | quoted }}
{%- endfor %}
