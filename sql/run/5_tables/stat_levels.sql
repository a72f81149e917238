-- stat_levels: the population groups that get a table, and which one, as the first noise decided.
--
-- zone    noisy
-- kind    python
-- writes  one row per ladder and population group with a table
--           level_id             integer   key of levels
--           population_group_id  bigint    first id of its region and level + iteration position
--           statistic_id         smallint  1, 2, ...: ladder by ladder, coarse to fine; chosen by a noisy total
-- source  safetab_sql/mechanisms/tabulate.py, from group_totals: a noisy total of every group, people or not
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as bigint) as population_group_id,
    cast(null as smallint) as statistic_id
where false
