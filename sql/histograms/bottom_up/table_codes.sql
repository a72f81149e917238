-- table_codes: every record as the codes of its values, domain by domain.
--
-- zone    confidential
-- reads   table_values  one row per record
--         domain_codes  one row per listed value of a domain
-- writes  one row per record
--           code_1  bigint  code of its value in the first domain; NULL where no code counts the value
--           code_2  bigint  code in the second domain; and so on for each further domain
--           {{ record_keys }}  varchar  as in table_values
--           weight  bigint  how much the record counts: 1, or its clamped weight
-- params  {{ coded_domains }}   of each domain: its name, and the codes that a value may have in it; the first code
--                              that is not NULL is the code of the value
--         {{ listed_domains }}  of each domain that is a list: its id, name of its lookup, the expression of its key
--         {{ weight }}          the expression of how much a record counts
--         {{ record_keys }}     names of the columns that tell persons, and the order of the records of each
-- source  histograms.md sections 1 and 4.1
select
    {%- for domain in coded_domains %}
    coalesce({{ domain.candidates }}) as {{ domain.name }},
    {%- endfor %}
    {{ record_keys | of("table_values") }},
    cast({{ weight }} as bigint) as weight
from table_values
{%- for domain in listed_domains %}
left join domain_codes as {{ domain.lookup }}
    on
        {{ domain.lookup }}.domain_id = {{ domain.domain_id }}
        and {{ domain.key }} = {{ domain.lookup }}.value_key
{%- endfor %}
