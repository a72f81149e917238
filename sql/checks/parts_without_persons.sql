-- parts_without_persons: values of the requested parts that no record has.
--
-- zone    confidential
-- kind    warning
-- reads   person_values  one row per column and value as a file stores it
-- where   {persons} [{place}]
-- problem {n} value(s) of the parts to be run that not a single record has
-- fix     add the records if they are missing; if there are none, leave the value in: parameters are public
-- whole   the record of a value may be in another part
-- params  {{ record_part_values }}  column and listed values of each part that is run, of the columns that records have
-- source  tabulation.md section 8
-- why     A warning: refusals would tell everybody who sees a release that each of its states has a person.
select
    null as column_name,
    null as part_value
where false
{%- for part in record_part_values %}
union all
select
    {{ part.name | literal }} as column_name,
    listed_values.part_value
from unnest({{ part.listed | literal }}) as listed_values (part_value)
anti join person_values
    on person_values.column_name = {{ part.name | literal }} and listed_values.part_value = person_values.code
{%- endfor %}
