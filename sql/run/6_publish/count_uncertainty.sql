-- count_uncertainty: variance, margin of error and interval of every kind of published count.
--
-- zone    public
-- kind    python
-- writes  one row per level, kind of group and number of counts summed
--           level_id       integer  key of levels
--           is_total_only  boolean  the paper's TotalOnly
--           summed_counts  integer  noisy counts in the sum
--           variance       double   of the noise in the sum, persons squared; NULL for sums of counts cut at 0
--           moe95          double   half-width of the 95 % margin of error, persons; NULL likewise
--           below95        bigint   95 % interval: persons that the true count may lie below the noisy one
--           above95        bigint   95 % interval: persons that the true count may lie above the noisy one
--           least_count    bigint   persons; no interval goes below it, NULL where any may
-- source  safetab_sql/published/intervals.py, from the laws of the noise
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as boolean) as is_total_only,
    cast(null as integer) as summed_counts,
    cast(null as double) as variance,
    cast(null as double) as moe95,
    cast(null as bigint) as below95,
    cast(null as bigint) as above95,
    cast(null as bigint) as least_count
where false
