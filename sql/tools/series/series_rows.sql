-- series_rows: the totals of all releases of a series, one table.
--
-- zone    published
-- kind    python
-- writes  one row per ladder, population group and release with a published count
--           RELEASE_NUMBER  integer  position of the release, 1, 2, ...
--           LADDER          varchar  the ladder
--           REGION_TYPE     varchar  name of the region type
--           REGION_ID       varchar  code of the region
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           double   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           is_evidence     boolean  whether the count would have been published whatever its value
-- source  safetab_sql/jobs/series.py, from series_counts of each release
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
select
    cast(null as integer) as RELEASE_NUMBER,
    cast(null as varchar) as LADDER,
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as REGION_ID,
    cast(null as varchar) as ITERATION_CODE,
    cast(null as double) as COUNT,
    cast(null as double) as VARIANCE,
    cast(null as double) as MOE95,
    cast(null as boolean) as is_evidence
where false
