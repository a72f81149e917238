-- table_floors: the fewest people with which the ground truth has the cells of a population group.
--
-- zone    public
-- kind    python
-- writes  one row per population group level
--           population_group_level  varchar  such as COUNTY-2
--           table_floor             bigint   persons; 0 of dense tables
-- source  safetab_sql/evaluation/measured.py, from the manifest of the ground truth
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as varchar) as population_group_level,
    cast(null as bigint) as table_floor
where false
