-- given_region_names: the names of regions in a public file of names, where one is given.
--
-- zone    public
-- kind    python
-- writes  one row per region with a name in the file
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
