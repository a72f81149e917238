-- reconciled_region_types: what reconciling changed, by table and region type.
--
-- zone    published
-- reads   released_totals  one row per population group with a published count
--         t2               one row per population group and cell of its table
--         reconciled_t1    one row per population group with a published count
--         reconciled_t2    one row per population group and cell of its table
-- writes  one row per published table and region type
--           published_table      varchar  T1 or T2
--           region_type          varchar  USA, STATE, COUNTY, ...
--           published_rows       bigint   rows released
--           changed_rows         bigint   rows whose count is no longer the released one
--           noisy_variance       double   mean of VARIANCE as released, persons squared
--           reconciled_variance  double   mean of VARIANCE now, persons squared
-- source  reconciliation.md sections 5 and 6
with released_types as (
    -- one row per published table and region type
    select
        'T1' as published_table,
        released_totals.REGION_TYPE as region_type,
        avg(released_totals.VARIANCE) as variance
    from released_totals
    group by released_totals.REGION_TYPE
    union all
    select
        'T2' as published_table,
        t2.REGION_TYPE as region_type,
        avg(t2.VARIANCE) as variance
    from t2
    group by t2.REGION_TYPE
),

reconciled_types as (
    -- one row per published table and region type
    select
        'T1' as published_table,
        reconciled_t1.REGION_TYPE as region_type,
        count(*) as published_rows,
        count_if(reconciled_t1.COUNT <> reconciled_t1.NOISY_COUNT) as changed_rows,
        avg(reconciled_t1.VARIANCE) as variance
    from reconciled_t1
    group by reconciled_t1.REGION_TYPE
    union all
    select
        'T2' as published_table,
        reconciled_t2.REGION_TYPE as region_type,
        count(*) as published_rows,
        count_if(reconciled_t2.COUNT <> reconciled_t2.NOISY_COUNT) as changed_rows,
        avg(reconciled_t2.VARIANCE) as variance
    from reconciled_t2
    group by reconciled_t2.REGION_TYPE
)

select
    reconciled_types.published_table,
    reconciled_types.region_type,
    reconciled_types.published_rows,
    cast(reconciled_types.changed_rows as bigint) as changed_rows,
    released_types.variance as noisy_variance,
    reconciled_types.variance as reconciled_variance
from reconciled_types
inner join released_types
    on
        reconciled_types.published_table = released_types.published_table
        and reconciled_types.region_type = released_types.region_type
