-- reconciled_table_kinds: the population groups of a reconciled ladder of one's own by level and table.
--
-- zone    published
-- reads   reported_tables    one row per population group with a published count
--         reconciled_t1      one row per population group with a published count
--         reconciled_t2      one row per population group and cell of its table, and one per group and published sum
--         ladder_statistics  one row per stat level
--         statistic_cells    one row per stat level and measured cell
-- writes  one row per population group level, table and whether its groups could get one
--           region_type         varchar  such as COUNTY
--           level_name          varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only       boolean  whether the groups could get a total and nothing else
--           statistic           varchar  name of the table, or of a total alone
--           population_groups   bigint   groups with a published count
--           changed_groups      bigint   groups whose total differs from the released total
--           least_total_moe95   double   half-widths of the 95 % margins of error of the totals
--           median_total_moe95  double   likewise
--           most_total_moe95    double   likewise
--           least_cell_moe95    double   the same for the cells of their tables; of totals where there is no table
--           median_cell_moe95   double   likewise: the median of the groups' widest
--           most_cell_moe95     double   likewise
--           groups_within_10    bigint   groups whose total has a margin of error of at most 10 % of it
--           groups_within_30    bigint   at most 30 %
--           groups_within_100   bigint   at most the total itself
-- params  {{ ladder_columns }}    name of each published column
--         {{ columns_of_totals }}  columns of attributes where totals are rows of the table
-- source  evaluation.md section 5
with cell_margins as (
    -- one row per population group with cells
    select
        reconciled_t2.REGION_TYPE as region_type,
        reconciled_t2.REGION_ID as region_id,
        reconciled_t2.ITERATION_CODE as iteration_code,
        min(reconciled_t2.MOE95) as least_moe95,
        max(reconciled_t2.MOE95) as most_moe95
    from reconciled_t2
    inner join ladder_statistics on reconciled_t2.STATISTIC = ladder_statistics.statistic_name
    inner join statistic_cells
        on
            ladder_statistics.stat_level = statistic_cells.stat_level
            {%- for column in ladder_columns %}
            and reconciled_t2.{{ column | quoted }} = statistic_cells.{{ column | quoted }}
            {%- endfor %}
    group by reconciled_t2.REGION_TYPE, reconciled_t2.REGION_ID, reconciled_t2.ITERATION_CODE
),

published_counts as (
    -- one row per population group with a published count
    select
        reported_tables.region_type,
        reported_tables.level_name,
        reported_tables.is_total_only,
        reported_tables.statistic,
        reported_tables.noisy_count as reconciled_count,
        reconciled_t1.NOISY_COUNT as released_count,
        reported_tables.total_moe95 as moe95,
        coalesce(cell_margins.least_moe95, reported_tables.total_moe95) as least_cell_moe95,
        coalesce(cell_margins.most_moe95, reported_tables.total_moe95) as most_cell_moe95
    from reported_tables
    inner join reconciled_t1
        on
            reported_tables.region_type = reconciled_t1.REGION_TYPE
            and reported_tables.region_id = reconciled_t1.REGION_ID
            and reported_tables.iteration_code = reconciled_t1.ITERATION_CODE
            {%- for column in columns_of_totals %}
            and reconciled_t1.{{ column | quoted }} = {{ columns_of_totals[column] | literal }}
            {%- endfor %}
    left join cell_margins
        on
            reported_tables.region_type = cell_margins.region_type
            and reported_tables.region_id = cell_margins.region_id
            and reported_tables.iteration_code = cell_margins.iteration_code
)

select
    published_counts.region_type,
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.statistic,
    count(*) as population_groups,
    count(*) filter (where published_counts.reconciled_count <> published_counts.released_count) as changed_groups,
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
    published_counts.region_type,
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.statistic
order by
    published_counts.region_type,
    published_counts.level_name,
    published_counts.is_total_only,
    published_counts.statistic
