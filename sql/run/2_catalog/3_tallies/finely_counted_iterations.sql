-- finely_counted_iterations: the iterations of which more is wanted than totals of broad regions.
--
-- zone    public
-- reads   ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         levels             one row per population group level
--         regions            one row per region
--         region_breadth     one row per region
-- writes  one row per iteration that may get a table, or that regions tabulate which are not broad
--           iteration_id  integer  key of iterations
-- source  tabulation.md section 4.1
-- why     The lists of 2020 have many detailed iterations of which only nation and states publish a total. People would
--         be counted for them by tract, sex and age in vain.
with narrow_levels as (
    -- one row per population group level of regions that are not broad
    select levels.level_id
    from levels
    where levels.region_type in (
        select regions.region_type
        from regions
        inner join region_breadth on regions.region_key = region_breadth.region_key
        where not region_breadth.is_broad
    )
)

select distinct ladder_iterations.iteration_id
from ladder_iterations
where
    not ladder_iterations.is_total_only
    or ladder_iterations.level_id in (select narrow_levels.level_id from narrow_levels)
