-- example_rows: a few cells of the nation's four largest tables of sex by age, for people to look at.
--
-- zone    published
-- reads   $t2_files    Parquet of a published t2
--         group_index  one row per population group with a published count
-- writes  one row per shown cell: the two largest of the two largest groups, the largest of the next two
--           region_type     varchar  USA
--           region_id       varchar  1
--           iteration_name  varchar  name of the characteristic iteration
--           age             varchar  first and last age of the bin, years
--           sex             varchar  male or female
--           count           bigint   persons, noisy
--           moe95           double   half-width of the 95 % margin of error, persons
-- params  $t2_files  varchar[]  paths of the files
-- source  README, Try it
with nation_cells as (
    -- one row per group alone or in combination, age bin and sex of the nation
    select
        published_t2.REGION_TYPE as region_type,
        published_t2.REGION_ID as region_id,
        group_index.ITERATION_NAME as iteration_name,
        published_t2.AGESTART || '-' || published_t2.AGEEND as age,
        case published_t2.SEX when '1' then 'male' else 'female' end as sex,
        published_t2.COUNT as count,
        published_t2.MOE95 as moe95,
        cast(published_t2.AGESTART as integer) as age_start,
        max(published_t2.COUNT) over (partition by published_t2.ITERATION_CODE) as largest_cell
    from read_parquet($t2_files) as published_t2
    inner join group_index
        on
            published_t2.ITERATION_CODE = group_index.ITERATION_CODE
            and published_t2.REGION_TYPE = group_index.REGION_TYPE
    where
        group_index.REGION_TYPE = 'USA'
        and group_index.ITERATION_KIND = 'combination'
        and published_t2.AGESTART <> '*'
),

ranked_cells as (
    -- the same, with the rank of the group and of the cell in it
    select
        nation_cells.region_type,
        nation_cells.region_id,
        nation_cells.iteration_name,
        nation_cells.age,
        nation_cells.sex,
        nation_cells.count,
        nation_cells.moe95,
        nation_cells.age_start,
        dense_rank() over (order by nation_cells.largest_cell desc, nation_cells.iteration_name asc) as group_rank,
        row_number() over (
            partition by nation_cells.iteration_name
            order by nation_cells.count desc, nation_cells.age_start asc, nation_cells.sex desc
        ) as cell_rank
    from nation_cells
)

select
    ranked_cells.region_type,
    ranked_cells.region_id,
    ranked_cells.iteration_name,
    ranked_cells.age,
    ranked_cells.sex,
    ranked_cells.count,
    ranked_cells.moe95
from ranked_cells
where ranked_cells.group_rank <= case ranked_cells.cell_rank when 1 then 4 when 2 then 2 else 0 end
order by ranked_cells.group_rank asc, ranked_cells.age_start asc, ranked_cells.sex desc
