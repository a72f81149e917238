-- named_iterations: the iterations that public files, or the release itself, name for each region type.
--
-- zone    public
-- kind    python
-- writes  one row per region type and characteristic iteration
--           REGION_TYPE       varchar  name of the region type
--           ITERATION_CODE    varchar  code of the characteristic iteration
--           iteration_number  bigint   0, 1, ..., below 2^32
-- source  safetab_sql/statistics/absent_groups.py, from the code lists or from the release
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as ITERATION_CODE,
    cast(null as bigint) as iteration_number
where false
