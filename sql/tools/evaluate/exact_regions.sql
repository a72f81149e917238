-- exact_regions: the regions that the ground truth tabulates, people or not.
--
-- zone    public
-- kind    python
-- writes  one row per region
--           REGION_TYPE     varchar  name of the region type
--           REGION_ID       varchar  code of the region
-- source  safetab_sql/evaluation/measured.py, from ground truth
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as REGION_ID
where false
