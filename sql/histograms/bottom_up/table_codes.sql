-- table_codes: every record as the codes of its values, domain by domain.
--
-- zone    confidential
-- reads   table_values  one row per record
--         domain_codes  one row per listed value of a domain
-- writes  one row per record
--           code_1  bigint  of its value in the first domain; NULL where it is outside and nothing counts such values
--           code_2  bigint  the second; likewise for each further one
--           weight  bigint  what the record counts: 1, or its weight, clamped
-- params  {{ coded_domains }}   of each domain: its name, and the codes that a value may have in it, the first of
--                              which that is not NULL is its code
--         {{ listed_domains }}  of each domain that is a list: its id, name of its lookup, the expression of its key
--         {{ weight }}          the expression of what a record counts
-- source  histograms.md sections 1 and 4.1
select
    {%- for domain in coded_domains %}
    coalesce({{ domain.candidates }}) as {{ domain.name }},
    {%- endfor %}
    cast({{ weight }} as bigint) as weight
from table_values
{%- for domain in listed_domains %}
left join domain_codes as {{ domain.lookup }}
    on
        {{ domain.lookup }}.domain_id = {{ domain.domain_id }}
        and {{ domain.key }} = {{ domain.lookup }}.value_key
{%- endfor %}
