-- noisy_totals: the noisy totals of the groups that are published without a table.
--
-- zone    noisy
-- kind    python
-- writes  one row per published noisy total
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           noisy_count          bigint   persons; may be negative
-- source  safetab_sql/mechanisms/tabulate.py, from group_totals
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as bigint) as population_group_id,
    cast(null as bigint) as noisy_count
where false
