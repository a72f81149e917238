-- nested_groups: the published population groups in regions that divide other regions or are divided by them.
--
-- zone    published
-- reads   t1               one row per population group with a published count
--         t2               one row per population group and cell of its table
--         regions          one row per region
--         region_parents   one row per region
--         statistic_cells  one row per stat level and measured cell
-- writes  one row per population group with a published count, of the region types that nest
--           group_id          bigint   0, 1, ... by iteration, then region
--           iteration_number  bigint   1, 2, ... by iteration code
--           region_key        integer  key of regions
--           region_type       varchar  USA, STATE, COUNTY, ...
--           region_id         varchar  e.g. 44007 for a county
--           iteration_code    varchar  characteristic iteration, 4 digits
--           stat_level        tinyint  0 a total alone, 1 age4, 2 age9, 3 age23
--           variance          double   of the noise in each of its counts, persons squared
--           is_evidence       boolean  whether its counts would have been published whatever their values
-- params  $suppressed_types  varchar[]  region types whose small totals are not published
-- source  tabulation.md sections 1 and 7; reconciliation.md section 3
-- why     The number of cells of a group's table tells its stat level; its total is then the sum of those cells. A
--         total that suppression might have dropped was published because of its own noise, so it is no evidence. A
--         table was chosen by stage 1, whose noise is independent of the noise in the cells, so its cells are unbiased.
with tabled_groups as (
    -- one row per population group with a sex-by-age table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        count(*) as cells,
        max(t2.VARIANCE) as variance
    from t2
    where t2.AGESTART <> '*'
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
),

table_sizes as (
    -- one row per stat level
    select
        statistic_cells.stat_level,
        count(*) as cells
    from statistic_cells
    where statistic_cells.stat_level > 0
    group by statistic_cells.stat_level
),

nested_types as (
    -- one row per region type that divides another or is divided by another
    select region_parents.region_type
    from region_parents
    where region_parents.parent_region_key is not null
    union
    select outer_regions.region_type
    from region_parents
    inner join region_parents as outer_regions on region_parents.parent_region_key = outer_regions.region_key
)

select
    row_number() over (order by t1.ITERATION_CODE, regions.region_key) - 1 as group_id,
    dense_rank() over (order by t1.ITERATION_CODE) as iteration_number,
    regions.region_key,
    t1.REGION_TYPE as region_type,
    t1.REGION_ID as region_id,
    t1.ITERATION_CODE as iteration_code,
    cast(case when tabled_groups.cells is null then 0 else table_sizes.stat_level end as tinyint) as stat_level,
    coalesce(tabled_groups.variance, t1.VARIANCE) as variance,
    tabled_groups.cells is not null or not list_contains($suppressed_types, t1.REGION_TYPE) as is_evidence
from t1
inner join nested_types on t1.REGION_TYPE = nested_types.region_type
inner join regions on t1.REGION_TYPE = regions.region_type and t1.REGION_ID = regions.region_id
left join tabled_groups
    on
        t1.REGION_TYPE = tabled_groups.region_type
        and t1.REGION_ID = tabled_groups.region_id
        and t1.ITERATION_CODE = tabled_groups.iteration_code
left join table_sizes on tabled_groups.cells = table_sizes.cells
