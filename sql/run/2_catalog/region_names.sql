-- region_names: the names of regions, where a public file gives them.
--
-- zone    public
-- kind    python
-- writes  one row per region with a name
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
--           region_name  varchar  its name
-- source  tabulation.md section 7.2
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as region_type,
    cast(null as varchar) as region_id,
    cast(null as varchar) as region_name
where false
