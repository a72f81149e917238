-- reported_groups: the population groups of some region types, each with its total and its whole sex-by-age table.
--
-- zone    published
-- reads   t1            one row per population group with a published count
--         t2            one row per population group and cell of its table, and one per group and published sum
--         group_levels  one row per region type and characteristic iteration with a published count
-- writes  one row per population group of these region types with a published count
--           region_type     varchar    USA, STATE, ...
--           region_id       varchar    e.g. 44 for a state
--           iteration_code  varchar    characteristic iteration, 4 digits
--           noisy_count     bigint     the group's total, persons; may be negative; of a reconciled release, a double
--           total_moe95     double     half-width of its 95 % margin of error, persons
--           total_low95     bigint     lower end of its 95 % interval, persons
--           total_high95    bigint     upper end
--           age_starts      integer[]  first ages of the table's bins, years, in order; NULL without a table
--           age_ends        integer[]  last ages, years
--           level_name      varchar    such as STATE-2
--           male_counts     bigint[]   persons by age bin, noisy
--           female_counts   bigint[]   likewise
--           male_moe95s     double[]   half-widths of their 95 % margins of error, persons
--           female_moe95s   double[]   likewise
-- params  $picked_types  varchar[]  the region types
-- source  evaluation.md section 5
-- why     These are the numbers of the report's age pyramids. Only a few region types are drawn: a page with all groups
--         of a nation would be too large to open.
with table_cells as (
    -- one row per population group, sex and age bin
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        t2.SEX as sex,
        cast(t2.AGESTART as integer) as age_start,
        cast(t2.AGEEND as integer) as age_end,
        t2.COUNT as noisy_count,
        t2.MOE95 as moe95
    from t2
    where t2.AGESTART <> '*' and list_contains($picked_types, t2.REGION_TYPE)
),

table_columns as (
    -- one row per population group with a table, and sex
    select
        table_cells.region_type,
        table_cells.region_id,
        table_cells.iteration_code,
        table_cells.sex,
        list(table_cells.age_start order by table_cells.age_start) as age_starts,
        list(table_cells.age_end order by table_cells.age_start) as age_ends,
        list(table_cells.noisy_count order by table_cells.age_start) as noisy_counts,
        list(table_cells.moe95 order by table_cells.age_start) as moe95s
    from table_cells
    group by
        table_cells.region_type,
        table_cells.region_id,
        table_cells.iteration_code,
        table_cells.sex
)

select
    t1.REGION_TYPE as region_type,
    t1.REGION_ID as region_id,
    t1.ITERATION_CODE as iteration_code,
    t1.COUNT as noisy_count,
    t1.MOE95 as total_moe95,
    t1.LOW95 as total_low95,
    t1.HIGH95 as total_high95,
    male_columns.age_starts,
    male_columns.age_ends,
    group_levels.level_name,
    male_columns.noisy_counts as male_counts,
    female_columns.noisy_counts as female_counts,
    male_columns.moe95s as male_moe95s,
    female_columns.moe95s as female_moe95s
from t1
left join table_columns as male_columns
    on
        t1.REGION_TYPE = male_columns.region_type
        and t1.REGION_ID = male_columns.region_id
        and t1.ITERATION_CODE = male_columns.iteration_code
        and male_columns.sex = '1'
left join table_columns as female_columns
    on
        t1.REGION_TYPE = female_columns.region_type
        and t1.REGION_ID = female_columns.region_id
        and t1.ITERATION_CODE = female_columns.iteration_code
        and female_columns.sex = '2'
left join group_levels
    on
        t1.REGION_TYPE = group_levels.region_type
        and t1.ITERATION_CODE = group_levels.iteration_code
where list_contains($picked_types, t1.REGION_TYPE)
order by
    t1.REGION_TYPE,
    t1.REGION_ID,
    t1.ITERATION_CODE
