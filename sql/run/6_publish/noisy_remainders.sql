-- noisy_remainders: the noisy sums of groups without a table, by level, parent region and iteration.
--
-- zone    noisy
-- kind    python
-- writes  one row per level, parent region and iteration with such a sum
--           level_id            integer  key of levels
--           parent_region_key   integer  key of regions: the region that is divided
--           iteration_position  bigint   place of the iteration at its level
--           members             bigint   how many groups have no table
--           noisy_count         bigint   their noisy totals, added up, persons
--           variance            double   of the noise in noisy_count, persons squared
-- source  safetab_sql/mechanisms/remainders.py; tabulation.md section 7.2.1
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as integer) as parent_region_key,
    cast(null as bigint) as iteration_position,
    cast(null as bigint) as members,
    cast(null as bigint) as noisy_count,
    cast(null as double) as variance
where false
