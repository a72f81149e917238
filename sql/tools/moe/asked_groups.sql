-- asked_groups: the population groups of the rows that the conditions of a sum choose.
--
-- zone    published
-- kind    python
-- writes  one row per population group with a chosen row
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           REGION_ID       varchar  e.g. 44007 for a county
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
-- source  safetab_sql/jobs/moe.py, from published_rows and the conditions that an analyst wrote
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as REGION_ID,
    cast(null as varchar) as ITERATION_CODE
where false
