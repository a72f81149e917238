-- reported_groups: the population groups of some region types, each with the rows of its table of a ladder.
--
-- zone    published
-- reads   reported_tables  one row per population group of these region types with a published count
--         t2               one row per population group and cell of its table, and one per group and published sum
-- writes  one row per population group of these region types with a published count
--           region_type     varchar      such as COUNTY
--           region_id       varchar      its region
--           iteration_code  varchar      characteristic iteration
--           statistic       varchar      name of its table, or of a total alone
--           level_name      varchar      such as COUNTY-2
--           noisy_count     bigint       its total; of a reconciled release, a double
--           total_moe95     double       half-width of its 95 % margin of error; NULL where none is published
--           total_low95     bigint       lower end of its 95 % interval
--           total_high95    bigint       upper end
--           codes           varchar[][]  of each row of its table, the codes of the attributes; NULL without a table
--           counts          struct(count bigint, low bigint, high bigint, moe95 double)[]  of each row, its count, the
--                                        ends of its 95 % interval, and the half-width of its 95 % margin of error,
--                                        NULL where it has none
-- params  $picked_types         varchar[]  the region types
--         {{ ladder_columns }}  columns of attributes in the table
-- source  evaluation.md section 5
-- why     These are the numbers of the report's pyramids and bars.
with coded_rows as (
    -- one row per population group of these region types and row of its table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        list_value(
            '',
            {{ ladder_columns | of("t2") }}
        )[2:] as codes,
        { 'count': t2.COUNT, 'low': t2.LOW95, 'high': t2.HIGH95, 'moe95': t2.MOE95 } as counted
    from t2
    where list_contains($picked_types, t2.REGION_TYPE)
),

table_rows as (
    -- one row per population group of these region types with rows in the table
    select
        coded_rows.region_type,
        coded_rows.region_id,
        coded_rows.iteration_code,
        list(coded_rows.codes order by coded_rows.codes) as codes,
        list(coded_rows.counted order by coded_rows.codes) as counts
    from coded_rows
    group by coded_rows.region_type, coded_rows.region_id, coded_rows.iteration_code
)

select
    reported_tables.region_type,
    reported_tables.region_id,
    reported_tables.iteration_code,
    reported_tables.statistic,
    reported_tables.level_name,
    reported_tables.noisy_count,
    reported_tables.total_moe95,
    reported_tables.total_low95,
    reported_tables.total_high95,
    table_rows.codes,
    table_rows.counts
from reported_tables
left join table_rows
    on
        reported_tables.region_type = table_rows.region_type
        and reported_tables.region_id = table_rows.region_id
        and reported_tables.iteration_code = table_rows.iteration_code
where list_contains($picked_types, reported_tables.region_type)
order by reported_tables.region_type, reported_tables.region_id, reported_tables.iteration_code
