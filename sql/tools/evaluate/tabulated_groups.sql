-- tabulated_groups: every population group that the releases tabulate, with its exact size.
--
-- zone    confidential
-- reads   exact_t1    one row per tabulated population group
--         iterations  one row per characteristic iteration of level 1 or 2
-- writes  one row per tabulated population group
--           region_id               varchar  e.g. 44007 for a county
--           region_type             varchar  USA, STATE, COUNTY, ...
--           iteration_code          varchar  characteristic iteration, 4 digits
--           population_group_level  varchar  such as COUNTY-2
--           is_detailed_only        boolean  tabulated at nation- and state-like regions only, total only
--           is_coarse_only          boolean  tabulated at sub-state regions only
--           population_group_size   bigint   persons, exact
--           size_start              bigint   smallest size of its bucket: 0, 1, 10, 100, ..., 100000
-- source  evaluation.md section 2
-- why     The buckets are powers of ten, because errors hardly depend on the size of a group, and relative errors fall
--         as it grows.
select
    exact_t1.REGION_ID as region_id,
    exact_t1.REGION_TYPE as region_type,
    exact_t1.ITERATION_CODE as iteration_code,
    exact_t1.REGION_TYPE || '-' || cast(iterations.iteration_level as varchar) as population_group_level,
    iterations.is_detailed_only,
    iterations.is_coarse_only,
    exact_t1.COUNT as population_group_size,
    cast(
        case
            when exact_t1.COUNT = 0 then 0
            when exact_t1.COUNT < 10 then 1
            when exact_t1.COUNT < 100 then 10
            when exact_t1.COUNT < 1000 then 100
            when exact_t1.COUNT < 10000 then 1000
            when exact_t1.COUNT < 100000 then 10000
            else 100000
        end as bigint
    ) as size_start
from exact_t1
inner join iterations on exact_t1.ITERATION_CODE = iterations.iteration_code
