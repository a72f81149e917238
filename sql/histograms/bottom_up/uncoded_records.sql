-- uncoded_records: number of records with a value outside each domain that has no code for such values.
--
-- zone    confidential
-- reads   table_codes  one row per record
-- writes  one row per table
--           records  bigint  all records of the table
--           code_1   bigint  records with a value outside the first domain
--           code_2   bigint  records with a value outside the second domain; and so on
-- params  {{ coded_domains }}  of each domain: its name, and the expression of its code
-- source  histograms.md section 1
select
    count(*) as records
    {%- for domain in coded_domains %},
    count(*) filter (where table_codes.{{ domain.name }} is null) as {{ domain.name }}
    {%- endfor %}
from table_codes
