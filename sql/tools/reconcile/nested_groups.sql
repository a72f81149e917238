-- nested_groups: the published population groups, how fine a table each has, and what stage 1 measured of it.
--
-- zone    published
-- reads   released_totals    one row per population group with a published count
--         t2                 one row per population group and cell of its table
--         tree_regions       one row per region
--         statistic_cells    one row per stat level and measured cell
--         measured_groups    one row per population group whose stage-1 total is published
--         iteration_nesting  one row per iteration that is a part of another
--         group_levels       one row per region type and characteristic iteration with a published count
-- writes  one row per population group with a published count
--           group_id          bigint   0, 1, ... by iteration, then region
--           iteration_number  bigint   1, 2, ... by the largest iteration that it is a part of, then iteration code
--           root_code         varchar  the largest iteration that it is a part of, or itself
--           region_key        integer  key of tree_regions
--           region_type       varchar  USA, STATE, COUNTY, ...
--           region_id         varchar  e.g. 44007 for a county
--           iteration_code    varchar  characteristic iteration, 4 digits
--           stat_level        tinyint  0 a total alone, 1 the coarsest table, ...
--           variance          double   of the noise in each of its counts, persons squared
--           is_evidence       boolean  whether its counts would have been published whatever their values
--           stage_1           bigint   noisy total that picked its table, persons; NULL where it is not published
--           level_name        varchar  such as COUNTY-2; NULL where the index of groups names none
--           low95             bigint   lower end of the 95 % interval of its total from both stages, persons
--           high95            bigint   upper end of that interval, persons
-- params  {{ ladder_columns }}  name of each published column
--         $suppressed_types     varchar[]  region types whose small totals are not published
-- source  tabulation.md sections 1 and 7; reconciliation.md section 3
-- why     A group has the finest stat level of which all cells are there: a table may have the cells of
--         coarser ones among its sums. A total that suppression might have dropped was published because of its own
--         noise, so it is no evidence. A table was chosen by stage 1, whose noise is independent of the noise in the
--         cells, so its cells are unbiased.
with table_sizes as (
    -- one row per stat level
    select
        statistic_cells.stat_level,
        count(*) as cells
    from statistic_cells
    where statistic_cells.stat_level > 0
    group by statistic_cells.stat_level
),

possible_tables as (
    -- one row per population group and stat level with a cell among its rows
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        statistic_cells.stat_level,
        count(*) as cells,
        max(t2.VARIANCE) as variance
    from t2
    inner join statistic_cells
        on
            statistic_cells.stat_level > 0
            and {{ ladder_columns | equal("t2", "statistic_cells") }}
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE, statistic_cells.stat_level
),

tabled_groups as (
    -- one row per population group with a table
    select
        possible_tables.region_type,
        possible_tables.region_id,
        possible_tables.iteration_code,
        max(possible_tables.stat_level) as stat_level,
        arg_max(possible_tables.variance, possible_tables.stat_level) as variance
    from possible_tables
    inner join table_sizes
        on possible_tables.stat_level = table_sizes.stat_level and possible_tables.cells = table_sizes.cells
    group by possible_tables.region_type, possible_tables.region_id, possible_tables.iteration_code
)

select
    row_number() over (
        order by
            coalesce(iteration_nesting.root_code, released_totals.ITERATION_CODE),
            released_totals.ITERATION_CODE,
            tree_regions.region_key
    ) - 1 as group_id,
    dense_rank() over (
        order by coalesce(iteration_nesting.root_code, released_totals.ITERATION_CODE), released_totals.ITERATION_CODE
    ) as iteration_number,
    coalesce(iteration_nesting.root_code, released_totals.ITERATION_CODE) as root_code,
    tree_regions.region_key,
    released_totals.REGION_TYPE as region_type,
    released_totals.REGION_ID as region_id,
    released_totals.ITERATION_CODE as iteration_code,
    cast(coalesce(tabled_groups.stat_level, 0) as tinyint) as stat_level,
    coalesce(tabled_groups.variance, released_totals.VARIANCE) as variance,
    tabled_groups.stat_level is not null
    or not list_contains($suppressed_types, released_totals.REGION_TYPE) as is_evidence,
    measured_groups.STAGE_1 as stage_1,
    group_levels.level_name,
    measured_groups.LOW95 as low95,
    measured_groups.HIGH95 as high95
from released_totals
inner join tree_regions
    on released_totals.REGION_TYPE = tree_regions.region_type and released_totals.REGION_ID = tree_regions.region_id
left join tabled_groups
    on
        released_totals.REGION_TYPE = tabled_groups.region_type
        and released_totals.REGION_ID = tabled_groups.region_id
        and released_totals.ITERATION_CODE = tabled_groups.iteration_code
left join measured_groups
    on
        released_totals.REGION_TYPE = measured_groups.REGION_TYPE
        and released_totals.REGION_ID = measured_groups.REGION_ID
        and released_totals.ITERATION_CODE = measured_groups.ITERATION_CODE
left join iteration_nesting on released_totals.ITERATION_CODE = iteration_nesting.iteration_code
left join group_levels
    on
        released_totals.REGION_TYPE = group_levels.region_type
        and released_totals.ITERATION_CODE = group_levels.iteration_code
