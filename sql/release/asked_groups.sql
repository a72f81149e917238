-- asked_groups: the population groups of the rows that the conditions of a sum choose.
--
-- zone    published
-- kind    python
-- writes  one row per population group with a chosen row
--           REGION_TYPE     varchar  name of the region type
--           REGION_ID       varchar  code of the region
--           ITERATION_CODE  varchar  code of the characteristic iteration
-- source  safetab_sql/statistics/sums.py, from published_rows and the conditions that an analyst wrote
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as REGION_ID,
    cast(null as varchar) as ITERATION_CODE
where false
