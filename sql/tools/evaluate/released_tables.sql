-- released_tables: which table of the ladder each population group got in each release.
--
-- zone    confidential
-- kind    slice
-- reads   released_t2        one row per run and row of t2
--         ladder_statistics  one row per stat level
--         statistic_cells    one row per stat level and measured cell
--         statistic_sums     one row per stat level, row that is a sum, and cell in it
-- writes  one row per run and population group with a table, and not a total alone
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
--           stat_level      tinyint  1 the coarsest table, ...; NULL for a table that the ladder does not have
-- source  evaluation.md section 2.2
-- why     A table that does not name its statistic, as in older releases, is recognised by its number of rows.
with statistic_rows as (
    -- one row per stat level and published row
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

statistic_sizes as (
    -- one row per stat level
    select
        statistic_rows.stat_level,
        count(*) as table_rows
    from statistic_rows
    group by statistic_rows.stat_level
),

named_tables as (
    -- one row per run and population group with rows
    select
        released_t2.run,
        released_t2.REGION_ID as region_id,
        released_t2.REGION_TYPE as region_type,
        released_t2.ITERATION_CODE as iteration_code,
        max(released_t2.STATISTIC) as statistic_name,
        count(*) as table_rows
    from released_t2
    group by released_t2.run, released_t2.REGION_ID, released_t2.REGION_TYPE, released_t2.ITERATION_CODE
)

select
    named_tables.run,
    named_tables.region_id,
    named_tables.region_type,
    named_tables.iteration_code,
    coalesce(ladder_statistics.stat_level, statistic_sizes.stat_level) as stat_level
from named_tables
left join ladder_statistics on named_tables.statistic_name = ladder_statistics.statistic_name
left join statistic_sizes
    on named_tables.statistic_name is null and named_tables.table_rows = statistic_sizes.table_rows
where coalesce(ladder_statistics.stat_level, statistic_sizes.stat_level) is distinct from 0
