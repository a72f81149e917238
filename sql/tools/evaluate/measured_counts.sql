-- measured_counts: the published counts that have noise of their own, beside the exact counts.
--
-- zone    confidential
-- reads   released_t1       one row per run and row of t1
--         released_t2       one row per run and row of t2
--         evaluated_groups  one row per tabulated population group with a published count
--         exact_t2          one row per population group, sex and age bin with people; of dense tables, people or not
--         statistic_cells   one row per stat level and measured cell
-- writes  one row per run and measured count
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
--           stat_level      tinyint  statistic selected: 0 total, 1 age4, 2 age9, 3 age23
--           noisy_count     bigint   persons
--           exact_count     bigint   persons; NULL where the ground truth has no such group or cell
--           moe95           double   published half-width, persons
-- source  evaluation.md section 2.2 (errors over the directly measured cells, not the sums)
-- why     A total is measured if its group has no table. The statistic of a table is recognised by its number of cells.
--         A cell that the ground truth could have, and has not, is 0.
with statistics as (
    -- one row per stat level
    select
        statistic_cells.stat_level,
        count(*) as cells
    from statistic_cells
    where statistic_cells.stat_level > 0
    group by statistic_cells.stat_level
),

tables as (
    -- one row per run and population group with a sex-by-age table
    select
        released_t2.run,
        released_t2.REGION_ID as region_id,
        released_t2.REGION_TYPE as region_type,
        released_t2.ITERATION_CODE as iteration_code,
        count(*) as cells
    from released_t2
    where released_t2.AGESTART <> '*'
    group by released_t2.run, released_t2.REGION_ID, released_t2.REGION_TYPE, released_t2.ITERATION_CODE
)

select
    released_t1.run,
    released_t1.REGION_ID as region_id,
    released_t1.REGION_TYPE as region_type,
    released_t1.ITERATION_CODE as iteration_code,
    cast(0 as tinyint) as stat_level,
    released_t1.COUNT as noisy_count,
    evaluated_groups.population_group_size as exact_count,
    released_t1.MOE95 as moe95
from released_t1
anti join tables
    on
        released_t1.run = tables.run
        and released_t1.REGION_ID = tables.region_id
        and released_t1.REGION_TYPE = tables.region_type
        and released_t1.ITERATION_CODE = tables.iteration_code
left join evaluated_groups
    on
        released_t1.REGION_ID = evaluated_groups.region_id
        and released_t1.REGION_TYPE = evaluated_groups.region_type
        and released_t1.ITERATION_CODE = evaluated_groups.iteration_code
union all
select
    released_t2.run,
    released_t2.REGION_ID as region_id,
    released_t2.REGION_TYPE as region_type,
    released_t2.ITERATION_CODE as iteration_code,
    statistics.stat_level,
    released_t2.COUNT as noisy_count,
    case
        when evaluated_groups.region_id is not null and statistic_cells.row_id is not null
            then coalesce(exact_t2.COUNT, 0)
    end as exact_count,
    released_t2.MOE95 as moe95
from released_t2
inner join tables
    on
        released_t2.run = tables.run
        and released_t2.REGION_ID = tables.region_id
        and released_t2.REGION_TYPE = tables.region_type
        and released_t2.ITERATION_CODE = tables.iteration_code
left join statistics on tables.cells = statistics.cells
left join statistic_cells
    on
        statistics.stat_level = statistic_cells.stat_level
        and released_t2.AGESTART = statistic_cells.AGESTART
        and released_t2.AGEEND = statistic_cells.AGEEND
        and released_t2.SEX = statistic_cells.SEX
left join evaluated_groups
    on
        released_t2.REGION_ID = evaluated_groups.region_id
        and released_t2.REGION_TYPE = evaluated_groups.region_type
        and released_t2.ITERATION_CODE = evaluated_groups.iteration_code
left join exact_t2
    on
        released_t2.REGION_ID = exact_t2.REGION_ID
        and released_t2.REGION_TYPE = exact_t2.REGION_TYPE
        and released_t2.ITERATION_CODE = exact_t2.ITERATION_CODE
        and released_t2.AGESTART = exact_t2.AGESTART
        and released_t2.AGEEND = exact_t2.AGEEND
        and released_t2.SEX = exact_t2.SEX
where released_t2.AGESTART <> '*'
