-- stat_levels: the population groups that earned a sex-by-age table, as the first noise decided.
--
-- zone    noisy
-- kind    python
-- writes  one row per population group with a sex-by-age table
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           stat_level           tinyint  1 age4, 2 age9, 3 age23; chosen by a noisy total
-- source  safetab_sql/mechanisms/tabulate.py, from group_totals: a noisy total of every group, people or not
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as bigint) as population_group_id,
    cast(null as tinyint) as stat_level
where false
