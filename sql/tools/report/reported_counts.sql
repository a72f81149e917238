-- reported_counts: the population groups of some region types, each with its independent noisy counts of a ladder.
--
-- zone    published
-- reads   reported_tables    one row per population group of these region types with a published count
--         t2                 one row per population group and cell of its table, and one per group and published sum
--         ladder_statistics  one row per stat level
--         statistic_cells    one row per stat level and measured cell
-- writes  one row per population group of these region types with a published count
--           region_type     varchar   such as COUNTY
--           region_id       varchar   its region
--           iteration_code  varchar   characteristic iteration
--           stat_level      tinyint   0 a total alone, 1 the coarsest table, ...
--           counts          bigint[]  the cells of its table, first attribute slowest; or its total
-- params  $picked_types         varchar[]  the region types
--         {{ ladder_columns }}  columns of attributes in the table
-- source  accounting.md section 4; evaluation.md section 5
-- why     All other published counts of a group are sums of these. The page adds up those that a reader picks.
with table_counts as (
    -- one row per population group of these region types with rows in the table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        statistic_cells.stat_level,
        list(cast(t2.COUNT as bigint) order by statistic_cells.cell_position) as counts
    from t2
    inner join ladder_statistics on t2.STATISTIC = ladder_statistics.statistic_name
    inner join statistic_cells
        on
            ladder_statistics.stat_level = statistic_cells.stat_level
            and {{ ladder_columns | equal("t2", "statistic_cells") }}
    where list_contains($picked_types, t2.REGION_TYPE)
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE, statistic_cells.stat_level
)

select
    reported_tables.region_type,
    reported_tables.region_id,
    reported_tables.iteration_code,
    coalesce(table_counts.stat_level, cast(0 as tinyint)) as stat_level,
    coalesce(table_counts.counts, list_value(cast(reported_tables.noisy_count as bigint))) as counts
from reported_tables
left join table_counts
    on
        reported_tables.region_type = table_counts.region_type
        and reported_tables.region_id = table_counts.region_id
        and reported_tables.iteration_code = table_counts.iteration_code
where list_contains($picked_types, reported_tables.region_type)
order by reported_tables.region_type, reported_tables.region_id, reported_tables.iteration_code
