-- broken_orders: how often a published total exceeds the total of an iteration that holds all its people.
--
-- zone    published
-- reads   implied_orders  one row per iteration and another iteration that holds all its people
--         reconciled_t1   one row per population group with a published count
-- writes  one row per region type and pair of iteration levels and kinds
--           region_type        varchar  USA, STATE, COUNTY, ...
--           narrow_level       varchar  an iteration level
--           narrow_kind        varchar  alone, combination or ethnicity
--           wide_level         varchar  an iteration level
--           wide_kind          varchar  alone, combination or ethnicity
--           compared           bigint   pairs of totals, both published
--           noisy_broken       bigint   pairs as released whose narrow total is the larger
--           reconciled_broken  bigint   pairs as reconciled whose narrow total is the larger
-- source  tabulation.md section 4
-- why     Where both totals are nearly equal, noise alone puts some pairs in the wrong order. They are counted and not
--         corrected, because estimates that are forced into an order are no longer right on average.
select
    narrow_totals.REGION_TYPE as region_type,
    implied_orders.narrow_level,
    implied_orders.narrow_kind,
    implied_orders.wide_level,
    implied_orders.wide_kind,
    count(*) as compared,
    count(*) filter (where narrow_totals.NOISY_COUNT > wide_totals.NOISY_COUNT) as noisy_broken,
    count(*) filter (where narrow_totals.COUNT > wide_totals.COUNT) as reconciled_broken
from implied_orders
inner join reconciled_t1 as narrow_totals on implied_orders.narrow_code = narrow_totals.ITERATION_CODE
inner join reconciled_t1 as wide_totals
    on
        implied_orders.wide_code = wide_totals.ITERATION_CODE
        and narrow_totals.REGION_TYPE = wide_totals.REGION_TYPE
        and narrow_totals.REGION_ID = wide_totals.REGION_ID
group by
    narrow_totals.REGION_TYPE,
    implied_orders.narrow_level,
    implied_orders.narrow_kind,
    implied_orders.wide_level,
    implied_orders.wide_kind
