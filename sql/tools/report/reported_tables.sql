-- reported_tables: the table that each population group got of a ladder, and its total.
--
-- zone    published
-- reads   t1                 one row per population group with a published count; the table of the ladder where totals
--                            are rows of it
--         t2                 one row per population group and cell of its table, and one per group and published sum
--         group_levels       one row per region type and characteristic iteration with a published count
--         ladder_statistics  one row per stat level
--         statistic_cells    one row per stat level and measured cell
-- writes  one row per population group of these region types with a published count
--           region_type       varchar  such as COUNTY
--           region_id         varchar  its region
--           iteration_code    varchar  characteristic iteration
--           level_name        varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only     boolean  whether the group could get a total and nothing else
--           statistic         varchar  name of its table, or of a total alone
--           least_cell_moe95  double   narrowest half-width of a 95 % margin of error of its cells, or its total
--           most_cell_moe95   double   of the widest
--           noisy_count       bigint   its total; of a reconciled release, a double
--           released_count    bigint   its total before reconciling
--           total_moe95       double   half-width of the margin of the total; NULL where none is published
--           total_reach95     double   the same; where there is none, the longer side of the interval
--           total_low95       bigint   lower end of its 95 % interval
--           total_high95      bigint   upper end
-- params  $picked_types  varchar[]  the region types
--         $total_name    varchar    statistic of groups that have a total alone
--         {{ ladder_columns }}     name of each published column
--         {{ columns_of_totals }}  columns of attributes where totals are rows of the table
--         {{ released_column }}    column of the total before reconciling
-- source  evaluation.md section 5
-- why     Sums in a table have more noise than its cells.
with tabulated_groups as (
    -- one row per population group of these region types with rows in the table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        max(t2.STATISTIC) as statistic,
        min(t2.MOE95) as least_moe95,
        max(t2.MOE95) as most_moe95
    from t2
    inner join ladder_statistics on t2.STATISTIC = ladder_statistics.statistic_name
    inner join statistic_cells
        on
            ladder_statistics.stat_level = statistic_cells.stat_level
            and {{ ladder_columns | equal("t2", "statistic_cells") }}
    where list_contains($picked_types, t2.REGION_TYPE)
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
)

select
    t1.REGION_TYPE as region_type,
    t1.REGION_ID as region_id,
    t1.ITERATION_CODE as iteration_code,
    group_levels.level_name,
    group_levels.is_total_only,
    coalesce(tabulated_groups.statistic, $total_name) as statistic,
    coalesce(tabulated_groups.least_moe95, t1.MOE95) as least_cell_moe95,
    coalesce(tabulated_groups.most_moe95, t1.MOE95) as most_cell_moe95,
    t1.COUNT as noisy_count,
    t1.{{ released_column }} as released_count,
    t1.MOE95 as total_moe95,
    coalesce(t1.MOE95, greatest(t1.COUNT - t1.LOW95, t1.HIGH95 - t1.COUNT)) as total_reach95,
    t1.LOW95 as total_low95,
    t1.HIGH95 as total_high95
from t1
left join tabulated_groups
    on
        t1.REGION_TYPE = tabulated_groups.region_type
        and t1.REGION_ID = tabulated_groups.region_id
        and t1.ITERATION_CODE = tabulated_groups.iteration_code
left join group_levels
    on
        t1.REGION_TYPE = group_levels.region_type
        and t1.ITERATION_CODE = group_levels.iteration_code
where
    list_contains($picked_types, t1.REGION_TYPE)
    {%- for column in columns_of_totals %}
    and t1.{{ column | quoted }} = {{ columns_of_totals[column] | literal }}
    {%- endfor %}
order by t1.REGION_TYPE, t1.REGION_ID, t1.ITERATION_CODE
