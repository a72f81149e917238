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
--         levels                one row per population group level
--         regions               one row per region
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
-- why     Everything here follows from published tables and public lists. The noise of a count follows from the ladder,
--         LEVEL and IS_TOTAL_ONLY: the manifest has the law of each. A group with a table has a cell in position 0.
--         Sorting millions of long names needs gigabytes: groups are sorted by numbers and named after. A key, from 1,
--         is the place of a name in a list. A join could change the order of rows; the one row of lists does not.
with published_groups as (
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
    -- one row per stat level
    select
        ladder_statistics.stat_level,
        ladder_statistics.statistic_name,
        count(published_rows.row_id) as table_rows
    from ladder_statistics
    left join published_rows on ladder_statistics.stat_level = published_rows.stat_level
    group by ladder_statistics.stat_level, ladder_statistics.statistic_name
),

ordered_groups as (
    -- one row per population group with a published count
    select
        published_groups.level_id,
        published_groups.stat_level,
        published_regions.region_key,
        published_iterations.iteration_id,
        published_iterations.is_total_only
    from published_groups
    left join level_sizes on published_groups.level_id = level_sizes.level_id
    left join published_iterations
        on
            published_groups.level_id = published_iterations.level_id
            and published_iterations.iteration_position = (
                (published_groups.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
            )
    left join published_regions
        on
            published_groups.level_id = published_regions.level_id
            and published_regions.first_population_group_id
            = published_groups.population_group_id - published_iterations.iteration_position
    order by published_regions.region_key, published_iterations.iteration_id
),

name_lists as (
    -- one row
    select
        (select list(levels.level_name order by levels.level_id) from levels) as level_names,
        (select list(regions.region_id order by regions.region_key) from regions) as region_ids,
        (select list(regions.region_type order by regions.region_key) from regions) as region_types,
        (
            select list(region_names.region_name order by regions.region_key)
            from regions
            left join region_names
                on regions.region_type = region_names.region_type and regions.region_id = region_names.region_id
        ) as region_names,
        (select list(iterations.iteration_code order by iterations.iteration_id) from iterations) as iteration_codes,
        (select list(iterations.iteration_kind order by iterations.iteration_id) from iterations) as iteration_kinds,
        (select list(iterations.iteration_name order by iterations.iteration_id) from iterations) as iteration_names,
        (select list(counted_rows.statistic_name order by counted_rows.stat_level) from counted_rows) as statistics,
        (select list(counted_rows.table_rows order by counted_rows.stat_level) from counted_rows) as table_rows
)

select
    name_lists.region_ids[ordered_groups.region_key] as REGION_ID,
    name_lists.region_types[ordered_groups.region_key] as REGION_TYPE,
    name_lists.iteration_codes[ordered_groups.iteration_id] as ITERATION_CODE,
    name_lists.level_names[ordered_groups.level_id] as LEVEL,
    name_lists.iteration_kinds[ordered_groups.iteration_id] as ITERATION_KIND,
    ordered_groups.is_total_only as IS_TOTAL_ONLY,
    name_lists.region_names[ordered_groups.region_key] as REGION_NAME,
    name_lists.iteration_names[ordered_groups.iteration_id] as ITERATION_NAME,
    $table_name as LADDER,
    name_lists.statistics[ordered_groups.stat_level + 1] as STATISTIC,
    name_lists.table_rows[ordered_groups.stat_level + 1] as TABLE_ROWS
from ordered_groups
cross join name_lists
