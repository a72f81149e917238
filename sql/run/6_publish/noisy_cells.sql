-- noisy_cells: the noisy cells of tables: exact cells plus the second noise.
--
-- zone    noisy
-- kind    python
-- writes  one row per published noisy cell
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           stat_level           tinyint  1 the coarsest table, 2 the next, ...
--           cell_position        integer  key of statistic_cells within the stat level
--           noisy_count          bigint   persons; may be negative
-- source  safetab_sql/mechanisms/tabulate.py, from group_cells: noise on every cell, people or not
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as bigint) as population_group_id,
    cast(null as tinyint) as stat_level,
    cast(null as integer) as cell_position,
    cast(null as bigint) as noisy_count
where false
