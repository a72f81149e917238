-- released_t1: the totals of a ladder, of every release that is evaluated.
--
-- zone    noisy
-- kind    python
-- writes  one row per run and row of t1
--           run             integer  1, 2, ...
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           bigint   persons, noisy; may be negative
--           NOISY_COUNT     bigint   persons, as the noise left them: COUNT, unless it was reconciled
--           MOE95           double   half-width of the 95 % margin of error, persons
--           VARIANCE        double   of reconciled counts, persons squared; NULL for others
-- source  safetab_sql/evaluation/measured.py, from the releases
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as run,
    cast(null as varchar) as REGION_ID,
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as ITERATION_CODE,
    cast(null as bigint) as COUNT,
    cast(null as bigint) as NOISY_COUNT,
    cast(null as double) as MOE95,
    cast(null as double) as VARIANCE
where false
