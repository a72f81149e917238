-- selected_totals: the 95 % intervals of totals that lie near the limit below which none is published.
--
-- zone    public
-- kind    python
-- writes  one row per level, kind of group and noisy total near the limit
--           level_id       integer  key of levels
--           is_total_only  boolean  the paper's TotalOnly
--           noisy_count    bigint   persons
--           low95          bigint   lower end of the interval, persons
--           high95         bigint   upper end of the interval, persons
-- source  safetab_sql/published/intervals.py, from the laws of the noise; accuracy.md section 2
-- why     A total near the limit was published because its noise was high, so its interval is not symmetric.
--         Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as boolean) as is_total_only,
    cast(null as bigint) as noisy_count,
    cast(null as bigint) as low95,
    cast(null as bigint) as high95
where false
