-- noisy_measurements: the stage-1 totals of published groups, and estimates of true totals that use both stages.
--
-- zone    noisy
-- kind    python
-- writes  one row per published group whose stage-1 total is published
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           stage_1              bigint   noisy total that picked the table, persons
--           stage_1_variance     double   of the noise in stage_1, persons squared
--           estimate             double   of the true total, persons
--           low95                bigint   lower end of the 95 % interval of the true total, persons
--           high95               bigint   upper end of the 95 % interval of the true total, persons
-- source  safetab_sql/published/measurements.py, from the noise of both stages; accuracy.md section 4
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as bigint) as population_group_id,
    cast(null as bigint) as stage_1,
    cast(null as double) as stage_1_variance,
    cast(null as double) as estimate,
    cast(null as bigint) as low95,
    cast(null as bigint) as high95
where false
