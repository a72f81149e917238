-- uncoded_records: how many records have a value outside each domain that counts no such values.
--
-- zone    confidential
-- reads   table_codes  one row per record
-- writes  one row per table
--           records  bigint  in all
--           code_1   bigint  records with a value outside the first domain
--           code_2   bigint  the second; likewise for each further one
-- params  {{ coded_domains }}  name, and the expression of the code, of each domain
-- source  histograms.md section 1
select
    count(*) as records
    {%- for domain in coded_domains %},
    count(*) filter (where table_codes.{{ domain.name }} is null) as {{ domain.name }}
    {%- endfor %}
from table_codes
