-- exact_t1: the exact totals of a ladder that releases are compared with.
--
-- zone    confidential
-- kind    python
-- writes  one row per population group with people; of dense tables, people or not
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           bigint   persons, exact
-- source  safetab_sql/evaluation/measured.py, from ground truth
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_ID,
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as ITERATION_CODE,
    cast(null as bigint) as COUNT
where false
