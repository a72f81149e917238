-- counted_codes: the records that are counted, as codes: of a person at most so many.
--
-- zone    confidential
-- reads   table_codes      one row per record
--         bounded_persons  one row per person with more records than are counted
--         kept_codes       one row per kept record of these persons
-- writes  one row per counted record
--           code_1  bigint  as in table_codes
--           code_2  bigint  likewise; and so on for each further domain
--           weight  bigint  likewise
-- params  {{ coded_domains }}  of each domain: the name of its code
-- source  histograms.md section 1.4
-- why     Where nothing is bounded, table_codes itself is called so.
select
    {%- for domain in coded_domains %}
    table_codes.{{ domain.name }},
    {%- endfor %}
    table_codes.weight
from table_codes
anti join bounded_persons on table_codes.person_key = bounded_persons.person_key
union all
select
    {%- for domain in coded_domains %}
    kept_codes.{{ domain.name }},
    {%- endfor %}
    kept_codes.weight
from kept_codes
