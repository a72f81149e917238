-- measured_counts: the published counts of a ladder that have noise of their own, beside the exact counts.
--
-- zone    confidential
-- kind    slice
-- reads   released_t1       one row per run and row of t1
--         released_t2       one row per run and row of t2
--         released_tables   one row per run and population group with a table, and not a total alone
--         evaluated_groups  one row per tabulated population group with a published count
--         exact_t2          one row per population group and row with people; of dense tables, people or not
--         statistic_cells   one row per stat level and measured cell
--         statistic_sums    one row per stat level, row that is a sum, and cell in it
--         ladder_rows       one row per combination of published codes
-- writes  one row per run and measured count
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
--           stat_level      tinyint  statistic selected: 0 total, 1 the coarsest table, ...
--           noisy_count     bigint   persons
--           drawn_count     bigint   persons, as the noise left them: noisy_count, unless it was reconciled
--           exact_count     bigint   persons; NULL where the ground truth has no such group or cell
--           moe95           double   published half-width, persons
--           variance        double   of a reconciled count, persons squared; NULL for others
-- params  {{ ladder_columns }}  name of each published column
-- source  evaluation.md section 2.2 (errors over the directly measured cells, not the sums)
-- why     A total is measured if its group has no table. A cell that the ground truth could have, and has not, is 0.
with sum_rows as (
    -- one row per stat level and row that is a sum
    select distinct
        statistic_sums.stat_level,
        statistic_sums.row_id
    from statistic_sums
)

select
    released_t1.run,
    released_t1.REGION_ID as region_id,
    released_t1.REGION_TYPE as region_type,
    released_t1.ITERATION_CODE as iteration_code,
    cast(0 as tinyint) as stat_level,
    released_t1.COUNT as noisy_count,
    released_t1.NOISY_COUNT as drawn_count,
    evaluated_groups.population_group_size as exact_count,
    released_t1.MOE95 as moe95,
    released_t1.VARIANCE as variance
from released_t1
anti join released_tables
    on
        released_t1.run = released_tables.run
        and released_t1.REGION_ID = released_tables.region_id
        and released_t1.REGION_TYPE = released_tables.region_type
        and released_t1.ITERATION_CODE = released_tables.iteration_code
left join evaluated_groups
    on
        released_t1.REGION_ID = evaluated_groups.region_id
        and released_t1.REGION_TYPE = evaluated_groups.region_type
        and released_t1.ITERATION_CODE = evaluated_groups.iteration_code
union all
select
    released_tables.run,
    released_tables.region_id,
    released_tables.region_type,
    released_tables.iteration_code,
    released_tables.stat_level,
    released_t2.COUNT as noisy_count,
    released_t2.NOISY_COUNT as drawn_count,
    case
        when evaluated_groups.region_id is not null and statistic_cells.row_id is not null
            then coalesce(exact_t2.COUNT, 0)
    end as exact_count,
    released_t2.MOE95 as moe95,
    released_t2.VARIANCE as variance
from released_t2
inner join released_tables
    on
        released_t2.run = released_tables.run
        and released_t2.REGION_ID = released_tables.region_id
        and released_t2.REGION_TYPE = released_tables.region_type
        and released_t2.ITERATION_CODE = released_tables.iteration_code
left join ladder_rows
    on
        true
        and {{ ladder_columns | equal("released_t2", "ladder_rows") }}
left join statistic_cells
    on released_tables.stat_level = statistic_cells.stat_level and ladder_rows.row_id = statistic_cells.row_id
left join sum_rows
    on released_tables.stat_level = sum_rows.stat_level and ladder_rows.row_id = sum_rows.row_id
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
        and {{ ladder_columns | equal("released_t2", "exact_t2") }}
where sum_rows.row_id is null
