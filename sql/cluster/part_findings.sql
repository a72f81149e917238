-- part_findings: what the checks found in each part of the records.
--
-- zone    confidential
-- kind    python
-- writes  one row per part of the records, and check that found anything there
--           part          integer    number of the part, from 1
--           check_name    varchar    name of the check
--           check_number  integer    of a check of several attributes: which of them, from 0
--           records       bigint     rows that it returned
--           examples      varchar[]  the first of these rows, as text
-- source  tabulation.md section 8
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as part,
    cast(null as varchar) as check_name,
    cast(null as integer) as check_number,
    cast(null as bigint) as records,
    cast(null as varchar[]) as examples
where false
