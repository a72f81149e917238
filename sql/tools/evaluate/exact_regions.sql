-- exact_regions: the regions that the ground truth tabulates, people or not.
--
-- zone    public
-- kind    python
-- writes  one row per region
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           REGION_ID       varchar  e.g. 44007 for a county
-- source  safetab_sql/evaluation/measured.py, from ground truth
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as REGION_ID
where false
