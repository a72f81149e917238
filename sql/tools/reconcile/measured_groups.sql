-- measured_groups: what stage 1 measured of published groups.
--
-- zone    noisy
-- kind    python
-- writes  one row per population group whose stage-1 total is published
--           REGION_ID         varchar  code of the region
--           REGION_TYPE       varchar  name of the region type
--           ITERATION_CODE    varchar  code of the characteristic iteration
--           STAGE_1           bigint   noisy total that picked the table of the group, persons
--           STAGE_1_VARIANCE  double   of the noise in STAGE_1, persons squared
--           LOW95             bigint   lower end of the 95 % interval of the true total, persons
--           HIGH95            bigint   upper end of that interval, persons
-- source  accuracy.md section 4
-- why     The folder `measurements` of a release; empty where it has none, or where it cannot be used.
select
    cast(null as varchar) as REGION_ID,
    cast(null as varchar) as REGION_TYPE,
    cast(null as varchar) as ITERATION_CODE,
    cast(null as bigint) as STAGE_1,
    cast(null as double) as STAGE_1_VARIANCE,
    cast(null as bigint) as LOW95,
    cast(null as bigint) as HIGH95
where false
