-- attack_tables: the table of each population group in the release that is attacked.
--
-- zone    noisy
-- kind    python
-- writes  one row per population group with a table
--           population_group_id  bigint    key of the group
--           statistic_id         smallint  key of statistic_finest_cells
-- source  evaluation.md section 7.1
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as bigint) as population_group_id,
    cast(null as smallint) as statistic_id
where false
