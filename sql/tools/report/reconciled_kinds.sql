-- reconciled_kinds: the population groups of a reconciled release by level and the detail of their tables.
--
-- zone    published
-- reads   reconciled_t1  one row per population group with a published count
--         reconciled_t2  one row per population group and cell of its table
--         group_levels   one row per region type and characteristic iteration with a published count
-- writes  one row per population group level, whether its groups could get a table, and number of cells
--           level_name          varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only       boolean  whether the groups could get a total and nothing else
--           cells               integer  sex-by-age cells of a group's table; 0 without a table
--           population_groups   bigint   groups with a published count
--           changed_groups      bigint   groups whose total differs from the released total
--           least_total_moe95   double   half-widths of the 95 % margins of error of the totals, persons
--           median_total_moe95  double   likewise
--           most_total_moe95    double   likewise
--           least_cell_moe95    double   the same for the cells of their tables; NULL without a table
--           median_cell_moe95   double   likewise: the median of the groups' widest
--           most_cell_moe95     double   likewise
--           groups_within_10    bigint   groups whose total has a margin of error of at most 10 % of it
--           groups_within_30    bigint   at most 30 %
--           groups_within_100   bigint   at most the total itself
-- source  evaluation.md section 5
with tabulated_groups as (
    -- one row per population group with a sex-by-age table
    select
        reconciled_t2.REGION_TYPE as region_type,
        reconciled_t2.REGION_ID as region_id,
        reconciled_t2.ITERATION_CODE as iteration_code,
        cast(count(*) as integer) as cells,
        min(reconciled_t2.MOE95) as least_cell_moe95,
        max(reconciled_t2.MOE95) as most_cell_moe95
    from reconciled_t2
    where reconciled_t2.AGESTART <> '*'
    group by
        reconciled_t2.REGION_TYPE,
        reconciled_t2.REGION_ID,
        reconciled_t2.ITERATION_CODE
),

published_counts as (
    -- one row per population group with a published count
    select
        group_levels.level_name,
        group_levels.is_total_only,
        reconciled_t1.COUNT as reconciled_count,
        reconciled_t1.NOISY_COUNT as noisy_count,
        reconciled_t1.MOE95 as moe95,
        coalesce(tabulated_groups.cells, 0) as cells,
        tabulated_groups.least_cell_moe95,
        tabulated_groups.most_cell_moe95
    from reconciled_t1
    left join tabulated_groups
        on
            reconciled_t1.REGION_TYPE = tabulated_groups.region_type
            and reconciled_t1.REGION_ID = tabulated_groups.region_id
            and reconciled_t1.ITERATION_CODE = tabulated_groups.iteration_code
    left join group_levels
        on
            reconciled_t1.REGION_TYPE = group_levels.region_type
            and reconciled_t1.ITERATION_CODE = group_levels.iteration_code
)

select
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.cells,
    count(*) as population_groups,
    count(*) filter (where published_counts.reconciled_count <> published_counts.noisy_count) as changed_groups,
    min(published_counts.moe95) as least_total_moe95,
    median(published_counts.moe95) as median_total_moe95,
    max(published_counts.moe95) as most_total_moe95,
    min(published_counts.least_cell_moe95) as least_cell_moe95,
    median(published_counts.most_cell_moe95) as median_cell_moe95,
    max(published_counts.most_cell_moe95) as most_cell_moe95,
    count(*) filter (where 10 * published_counts.moe95 <= published_counts.reconciled_count) as groups_within_10,
    count(*) filter (where 10 * published_counts.moe95 <= 3 * published_counts.reconciled_count) as groups_within_30,
    count(*) filter (where published_counts.moe95 <= published_counts.reconciled_count) as groups_within_100
from published_counts
group by
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.cells
order by
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.cells
