-- universe_without_persons: values of the universe that no record has.
--
-- zone    confidential
-- kind    warning
-- each    stated_universes
-- reads   person_universe  one row per record
-- where   {persons} [{universe}]
-- problem {n} value(s) of unit.where that not a single record has
-- fix     write them as the records do, capitals and spaces too: nobody is counted who has another value
-- whole   the record of a value may be in another part
-- params  {{ universe_columns }}  columns that tell which records count, and their values in the universe
-- source  tabulation.md section 2.1
-- why     A warning and not a refusal, as parts_without_persons. The last row says that no record is in the universe.
select null as listed_value
where false
{%- for column in universe_columns %}
union all
select listed_values.listed_value
from unnest({{ universe_columns[column] | literal }}) as listed_values (listed_value)
anti join person_universe on listed_values.listed_value = person_universe.{{ column | quoted }}
{%- endfor %}
union all
select 'values that count, together' as listed_value
where not exists (select 1 as one from person_universe where person_universe.is_inside)
