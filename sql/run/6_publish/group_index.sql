-- group_index: the level of each published population group, which table it got, and its names.
--
-- zone    published
-- reads   noisy_totals          one row per published noisy total; filled by the mechanisms
--         noisy_cells           one row per published noisy cell; filled by the mechanisms
--         statistic_cells       one row per stat level and measured cell
--         statistic_sums        one row per stat level, row that is a sum, and cell in it
--         ladder_statistics     one row per stat level
--         level_sizes           one row per population group level
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
--         iterations            one row per characteristic iteration of level 1 or 2
--         region_names          one row per region with a name
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           LEVEL           varchar  its population group level, as the manifest names it
--           ITERATION_KIND  varchar  alone, combination, or the name of a question of one column
--           IS_TOTAL_ONLY   boolean  whether the group could get a total and nothing else
--           REGION_NAME     varchar  name of the region; NULL where nothing public gives one
--           ITERATION_NAME  varchar  name of the iteration
--           LADDER          varchar  the ladder, such as T2
--           STATISTIC       varchar  the table that the group got, or the name of the total
--           TABLE_ROWS      bigint   rows of the group in the table of the ladder
-- params  $table_name  varchar  the ladder
-- source  tabulation.md section 7.2
-- why     Everything here follows from the published tables, and from public lists. The noise of a count follows from
--         the ladder, LEVEL and IS_TOTAL_ONLY: the manifest has the law of each. Every group with a table has a cell in
--         position 0.
with published_statistics as (
    -- one row per population group with a published count
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id,
        cast(0 as tinyint) as stat_level
    from noisy_totals
    union all
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level
    from noisy_cells
    where noisy_cells.cell_position = 0
),

placed_groups as (
    -- one row per population group with a published count
    select
        published_statistics.level_id,
        published_statistics.population_group_id,
        published_statistics.stat_level,
        (
            (published_statistics.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position
    from published_statistics
    inner join level_sizes on published_statistics.level_id = level_sizes.level_id
),

published_rows as (
    -- one row per stat level and row of its table
    select
        statistic_cells.stat_level,
        statistic_cells.row_id
    from statistic_cells
    union
    select
        statistic_sums.stat_level,
        statistic_sums.row_id
    from statistic_sums
),

counted_rows as (
    -- one row per stat level with rows
    select
        published_rows.stat_level,
        count(*) as table_rows
    from published_rows
    group by published_rows.stat_level
)

select
    published_regions.region_id as REGION_ID,
    published_regions.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    published_regions.level_name as LEVEL,
    iterations.iteration_kind as ITERATION_KIND,
    published_iterations.is_total_only as IS_TOTAL_ONLY,
    region_names.region_name as REGION_NAME,
    iterations.iteration_name as ITERATION_NAME,
    $table_name as LADDER,
    ladder_statistics.statistic_name as STATISTIC,
    coalesce(counted_rows.table_rows, 0) as TABLE_ROWS
from placed_groups
inner join ladder_statistics on placed_groups.stat_level = ladder_statistics.stat_level
inner join published_iterations
    on
        placed_groups.level_id = published_iterations.level_id
        and placed_groups.iteration_position = published_iterations.iteration_position
inner join published_regions
    on
        placed_groups.level_id = published_regions.level_id
        and (
            placed_groups.population_group_id - placed_groups.iteration_position
            = published_regions.first_population_group_id
        )
inner join iterations on published_iterations.iteration_id = iterations.iteration_id
left join region_names
    on
        published_regions.region_type = region_names.region_type
        and published_regions.region_id = region_names.region_id
left join counted_rows on placed_groups.stat_level = counted_rows.stat_level
order by
    published_regions.region_key,
    published_iterations.iteration_id
