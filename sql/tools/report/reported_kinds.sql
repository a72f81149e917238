-- reported_kinds: the published population groups by their level and the detail of their tables.
--
-- zone    published
-- reads   t1            one row per population group with a published count
--         t2            one row per population group and cell of its table, and one per group and published sum
--         group_levels  one row per region type and characteristic iteration with a published count
-- writes  one row per population group level, whether its groups could get a table, and number of cells
--           level_name         varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only      boolean  whether the groups could get a total and nothing else
--           cells              integer  sex-by-age cells of a group's table; 0 without a table
--           count_moe95        double   half-width of the 95 % margin of error of one such count, persons: the median
--           total_moe95        double   the same of a group's total, persons; NULL where none is published
--           population_groups  bigint   groups with a published count
--           groups_within_10   bigint   groups whose total has a margin of error of at most 10 % of it
--           groups_within_30   bigint   at most 30 %
--           groups_within_100  bigint   at most the total itself
-- source  evaluation.md section 5
-- why     A total without a margin is within the longer side of its interval.
with tabulated_groups as (
    -- one row per population group with a sex-by-age table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        cast(count(*) as integer) as cells,
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
        group_levels.level_name,
        group_levels.is_total_only,
        t1.COUNT as noisy_count,
        t1.MOE95 as moe95,
        coalesce(t1.MOE95, greatest(t1.COUNT - t1.LOW95, t1.HIGH95 - t1.COUNT)) as reach95,
        coalesce(tabulated_groups.cells, 0) as cells,
        coalesce(tabulated_groups.cell_moe95, t1.MOE95) as count_moe95
    from t1
    left join tabulated_groups
        on
            t1.REGION_TYPE = tabulated_groups.region_type
            and t1.REGION_ID = tabulated_groups.region_id
            and t1.ITERATION_CODE = tabulated_groups.iteration_code
    left join group_levels
        on
            t1.REGION_TYPE = group_levels.region_type
            and t1.ITERATION_CODE = group_levels.iteration_code
)

select
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.cells,
    quantile_disc(published_counts.count_moe95, 0.5) as count_moe95,
    quantile_disc(published_counts.moe95, 0.5) as total_moe95,
    count(*) as population_groups,
    count(*) filter (where 10 * published_counts.reach95 <= published_counts.noisy_count) as groups_within_10,
    count(*) filter (where 10 * published_counts.reach95 <= 3 * published_counts.noisy_count) as groups_within_30,
    count(*) filter (where published_counts.reach95 <= published_counts.noisy_count) as groups_within_100
from published_counts
group by
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.cells
order by
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.cells
