-- summed_groups: the population groups of a sum, the table of each, and its independent noisy counts (atoms).
--
-- zone    published
-- reads   published_rows     one row per row of t1 and of t2
--         asked_groups       one row per population group with a chosen row
--         ladder_statistics  one row per stat level
--         statistic_cells    one row per stat level and measured cell
--         group_levels       one row per region type and characteristic iteration with a published count
-- writes  one row per population group with a chosen row
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           stat_level      tinyint  0 a total alone, 1 the coarsest table, ...; NULL for a table that the ladder lacks
--           first_atom      bigint   number of its first atom: 0, 1, ...
--           atoms           bigint   how many it has: the cells of its table, or its total; numbers are consecutive
--           level_name      varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only   boolean  whether it could get a total and nothing else
-- params  $table_name  varchar  name of the ladder
-- source  tabulation.md section 6.3; accounting.md section 4
with statistic_sizes as (
    -- one row per stat level
    select
        statistic_cells.stat_level,
        count(*) as cells
    from statistic_cells
    group by statistic_cells.stat_level
),

named_tables as (
    -- one row per population group with a chosen row
    select
        published_rows.REGION_ID,
        published_rows.REGION_TYPE,
        published_rows.ITERATION_CODE,
        max(published_rows.STATISTIC) as statistic_name,
        count(*) filter (where published_rows."TABLE" = $table_name) as table_rows
    from published_rows
    semi join asked_groups
        on
            published_rows.REGION_TYPE = asked_groups.REGION_TYPE
            and published_rows.REGION_ID = asked_groups.REGION_ID
            and published_rows.ITERATION_CODE = asked_groups.ITERATION_CODE
    group by published_rows.REGION_ID, published_rows.REGION_TYPE, published_rows.ITERATION_CODE
),

known_tables as (
    -- one row per population group with a chosen row
    select
        named_tables.REGION_ID,
        named_tables.REGION_TYPE,
        named_tables.ITERATION_CODE,
        case
            when named_tables.table_rows = 0 then cast(0 as tinyint)
            else ladder_statistics.stat_level
        end as stat_level
    from named_tables
    left join ladder_statistics on named_tables.statistic_name = ladder_statistics.statistic_name
)

select
    known_tables.REGION_ID,
    known_tables.REGION_TYPE,
    known_tables.ITERATION_CODE,
    known_tables.stat_level,
    cast(
        coalesce(sum(coalesce(statistic_sizes.cells, 1)) over groups_before, 0) as bigint
    ) as first_atom,
    coalesce(statistic_sizes.cells, 1) as atoms,
    group_levels.level_name,
    group_levels.is_total_only
from known_tables
left join statistic_sizes on known_tables.stat_level = statistic_sizes.stat_level
left join group_levels
    on
        known_tables.REGION_TYPE = group_levels.region_type
        and known_tables.ITERATION_CODE = group_levels.iteration_code
window
    groups_before as (
        order by known_tables.REGION_TYPE, known_tables.REGION_ID, known_tables.ITERATION_CODE
        rows between unbounded preceding and 1 preceding
    )
