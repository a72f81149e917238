-- quality_parts: groups with a table that are larger than their state.
--
-- zone    published
-- reads   t1  one row per population group with a published count
--         t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  groups with a table in a county, a tract or a place, whose state has a total
--           found     bigint  groups that are further above the total of their state than noise brings them
--           expected  double  the most that noise makes on average, whatever the truth
-- source  evaluation.md section 6
-- why     Any noise is beyond sqrt(20) standard deviations with a chance of at most 1/20 (Chebyshev), so beyond
--         twice as many with at most 1/800: see quality_negatives. A part without a table may
--         be published because its noise is large, so it is left out.
with tabulated_groups as (
    -- one row per population group with a table, below a state
    select distinct
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code
    from t2
    where t2.REGION_TYPE in ('COUNTY', 'TRACT', 'PLACE')
)

select
    count(*) as looked,
    count(*) filter (where parts.COUNT - wholes.COUNT > 2 * sqrt(20 * (parts.VARIANCE + wholes.VARIANCE))) as found,
    count(*) / 800e0 as expected
from tabulated_groups
inner join t1 as parts
    on
        tabulated_groups.region_type = parts.REGION_TYPE
        and tabulated_groups.region_id = parts.REGION_ID
        and tabulated_groups.iteration_code = parts.ITERATION_CODE
inner join t1 as wholes
    on
        left(parts.REGION_ID, 2) = wholes.REGION_ID
        and parts.ITERATION_CODE = wholes.ITERATION_CODE
        and wholes.REGION_TYPE = 'STATE'
