-- kept_codes: the records that are counted of the persons with more records than are counted.
--
-- zone    confidential
-- kind    python
-- writes  one row per kept record of these persons
--           code_1  bigint  as in table_codes
--           code_2  bigint  likewise; and so on for each further domain
--           weight  bigint  likewise
-- params  {{ coded_domains }}  of each domain: the name of its code
-- source  safetab_sql/histograms/confidential/counts.py, from kept_records, which the statement of a run makes
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    {%- for domain in coded_domains %}
    cast(null as bigint) as {{ domain.name }},
    {%- endfor %}
    cast(null as bigint) as weight
where false
