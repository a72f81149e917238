-- reported_kinds: the published population groups by the noise of their counts and the detail of their tables.
--
-- zone    published
-- reads   t1  one row per population group with a published count
--         t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per region type, variance of one noisy count and number of cells
--           region_type        varchar  USA, STATE, COUNTY, ...
--           count_variance     double   of the noise in one cell, or in a total that is no sum; persons squared
--           cells              integer  sex-by-age cells of a group's table; 0 without a table
--           count_moe95        double   half-width of the 95 % margin of error of one such count, persons
--           total_moe95        double   the same of a group's total, persons
--           population_groups  bigint   groups with a published count
--           groups_within_10   bigint   groups whose total has a margin of error of at most 10 % of it
--           groups_within_30   bigint   at most 30 %
--           groups_within_100  bigint   at most the total itself
-- source  evaluation.md section 5
-- why     A published row does not name its population group level; its region type and the variance of its noise do.
with tabulated_groups as (
    -- one row per population group with a sex-by-age table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        cast(count(*) as integer) as cells,
        max(t2.VARIANCE) as cell_variance,
        max(t2.MOE95) as cell_moe95
    from t2
    where t2.AGESTART <> '*'
    group by
        t2.REGION_TYPE,
        t2.REGION_ID,
        t2.ITERATION_CODE
),

published_counts as (
    -- one row per population group with a published count
    select
        t1.REGION_TYPE as region_type,
        t1.COUNT as noisy_count,
        t1.MOE95 as moe95,
        coalesce(tabulated_groups.cells, 0) as cells,
        coalesce(tabulated_groups.cell_variance, t1.VARIANCE) as count_variance,
        coalesce(tabulated_groups.cell_moe95, t1.MOE95) as count_moe95
    from t1
    left join tabulated_groups
        on
            t1.REGION_TYPE = tabulated_groups.region_type
            and t1.REGION_ID = tabulated_groups.region_id
            and t1.ITERATION_CODE = tabulated_groups.iteration_code
)

select
    published_counts.region_type,
    published_counts.count_variance,
    published_counts.cells,
    max(published_counts.count_moe95) as count_moe95,
    max(published_counts.moe95) as total_moe95,
    count(*) as population_groups,
    count(*) filter (where 10 * published_counts.moe95 <= published_counts.noisy_count) as groups_within_10,
    count(*) filter (where 10 * published_counts.moe95 <= 3 * published_counts.noisy_count) as groups_within_30,
    count(*) filter (where published_counts.moe95 <= published_counts.noisy_count) as groups_within_100
from published_counts
group by
    published_counts.region_type,
    published_counts.count_variance,
    published_counts.cells
order by
    published_counts.region_type,
    published_counts.count_variance,
    published_counts.cells
