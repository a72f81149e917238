-- numbered_series: the totals of all releases of a series, with a number for each population group.
--
-- zone    published
-- reads   series_rows  one row per ladder, population group and release with a published count
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
--           group_number    bigint   0, 1, ...
-- source  reconciliation.md section 11
-- why     The number of a group is its row in the arrays that are smoothed.
select
    series_rows.RELEASE_NUMBER,
    series_rows.LADDER,
    series_rows.REGION_TYPE,
    series_rows.REGION_ID,
    series_rows.ITERATION_CODE,
    series_rows.COUNT,
    series_rows.VARIANCE,
    series_rows.MOE95,
    series_rows.is_evidence,
    dense_rank() over (
        order by
            series_rows.LADDER,
            series_rows.REGION_TYPE,
            series_rows.REGION_ID,
            series_rows.ITERATION_CODE
    ) - 1 as group_number
from series_rows
