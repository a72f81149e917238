-- named_regions: the regions that public files, or the release itself, name.
--
-- zone    public
-- kind    python
-- writes  one row per region type and region
--           REGION_TYPE    varchar  name of the region type
--           REGION_ID      varchar  code of the region
--           region_number  bigint   0, 1, ...
-- source  safetab_sql/statistics/absent_groups.py, from the geography or from the release
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as REGION_ID,
    cast(null as bigint) as region_number
where false
