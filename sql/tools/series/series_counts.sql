-- series_counts: the totals of a ladder of one release, and which of them a model of a series may rest on.
--
-- zone    published
-- reads   t1           one row per population group with a published count
--         group_index  one row per population group with a published count
-- writes  one row per population group with a published count
--           REGION_TYPE     varchar  name of the region type
--           REGION_ID       varchar  code of the region
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           COUNT           double   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           is_evidence     boolean  whether the count would have been published whatever its value
-- params  $table_name        varchar    the ladder
--         $suppressed_types  varchar[]  the region types with totals that are suppressed
-- source  reconciliation.md sections 3 and 11
-- why     A total alone of a suppressed region type was published because its noise was not too low, so it is too
--         large on average. A table was chosen by other noise than the noise of its cells.
select
    t1.REGION_TYPE,
    t1.REGION_ID,
    t1.ITERATION_CODE,
    cast(t1.COUNT as double) as COUNT,
    t1.VARIANCE,
    cast(t1.MOE95 as double) as MOE95,
    group_index.TABLE_ROWS > 1 or not list_contains($suppressed_types, t1.REGION_TYPE) as is_evidence
from t1
inner join group_index
    on
        group_index.LADDER = $table_name
        and t1.REGION_TYPE = group_index.REGION_TYPE
        and t1.REGION_ID = group_index.REGION_ID
        and t1.ITERATION_CODE = group_index.ITERATION_CODE
