-- suppressed_totals: what is known of groups whose total is too small to be published.
--
-- zone    public
-- kind    python
-- writes  one row per level and kind of group whose small totals are not published
--           level_id          integer  key of levels
--           is_total_only     boolean  the paper's TotalOnly
--           suppressed_up_to  bigint   the largest noisy total that is not published, persons
--           high95            bigint   persons that such a group has at most, with a confidence of 95 %
-- source  safetab_sql/published/intervals.py, from the laws of the noise; accuracy.md section 3
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as level_id,
    cast(null as boolean) as is_total_only,
    cast(null as bigint) as suppressed_up_to,
    cast(null as bigint) as high95
where false
