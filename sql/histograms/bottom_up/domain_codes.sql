-- domain_codes: the listed values of the domains, and their codes.
--
-- zone    public
-- kind    python
-- writes  one row per listed value of a domain
--           domain_id  integer  position of the domain in the spec, from 0
--           value_key  varchar  the value as text; the values of several columns, joined by chr(31)
--           code       bigint   its code, from 0
-- source  safetab_sql/histograms/confidential/counts.py, from the specification
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as domain_id,
    cast(null as varchar) as value_key,
    cast(null as bigint) as code
where false
