-- exact_iterations: by which iterations the ground truth tabulates the regions of each type.
--
-- zone    public
-- kind    python
-- writes  one row per region type and characteristic iteration
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
-- source  safetab_sql/evaluation/measured.py, from ground truth
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as ITERATION_CODE
where false
