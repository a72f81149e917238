-- example_rows: a few rows of the nation's largest sex-by-age table, for people to look at.
--
-- zone    published
-- reads   $t2_files    Parquet of a published t2
--         group_index  one row per population group with a published count
-- writes  one row per age bin and sex of the population group with the largest published cell, at most six
--           region_type     varchar  USA
--           region_id       varchar  1
--           iteration_name  varchar  name of the characteristic iteration
--           age             varchar  first and last age of the bin, years
--           sex             varchar  male or female
--           count           bigint   persons, noisy
--           moe95           double   half-width of the 95 % margin of error, persons
-- params  $t2_files  varchar[]  paths of the files
-- source  README, Try it
with named_iterations as (
    -- one row per race iteration of the nation
    select
        group_index.ITERATION_CODE as iteration_code,
        group_index.ITERATION_NAME as iteration_name
    from group_index
    where group_index.REGION_TYPE = 'USA' and group_index.ITERATION_KIND in ('alone', 'combination')
),

nation_cells as (
    -- one row per race iteration, age bin and sex of the nation
    select
        published_t2.REGION_TYPE as region_type,
        published_t2.REGION_ID as region_id,
        named_iterations.iteration_name,
        published_t2.AGESTART || '-' || published_t2.AGEEND as age,
        case published_t2.SEX when '1' then 'male' else 'female' end as sex,
        published_t2.COUNT as count,
        published_t2.MOE95 as moe95,
        cast(published_t2.AGESTART as integer) as age_start,
        max(published_t2.COUNT) over (partition by published_t2.ITERATION_CODE) as largest_cell
    from read_parquet($t2_files) as published_t2
    inner join named_iterations on published_t2.ITERATION_CODE = named_iterations.iteration_code
    where published_t2.REGION_TYPE = 'USA' and published_t2.AGESTART <> '*'
)

select
    nation_cells.region_type,
    nation_cells.region_id,
    nation_cells.iteration_name,
    nation_cells.age,
    nation_cells.sex,
    nation_cells.count,
    nation_cells.moe95
from nation_cells
order by
    nation_cells.largest_cell desc,
    nation_cells.iteration_name asc,
    nation_cells.age_start asc,
    nation_cells.sex desc
limit 6
