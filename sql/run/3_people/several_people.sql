-- several_people: the people of a slice who give several codes.
--
-- zone    confidential
-- kind    slice
-- reads   persons  one row per person of the universe
-- writes  one row per person with several codes
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           codes_1_to_4     ubigint    as in persons
--           codes_5_to_8     ubigint    as in persons
--           {{ amounts }}  bigint  as in persons
-- params  {{ amounts }}  what each amount is called
-- seconds 8
-- source  tabulation.md section 4
-- why     Written down side by side: to look at few people among many takes as long as to look at all of them.
select
    persons.geo_unit_id,
    persons.finest_position,
    persons.codes_1_to_4,
    persons.codes_5_to_8
    {%- for amount in amounts %},
    persons.{{ amount.name }}
    {%- endfor %}
from persons
where
    persons.geo_unit_id is not null
    and has_further_codes(persons.codes_1_to_4)
