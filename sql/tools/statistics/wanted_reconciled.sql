-- wanted_reconciled: the published rows of a reconciled folder that wanted statistics consist of.
--
-- zone    published
-- reads   asked_terms   one row per wanted statistic, count in it and group of the count
--         wanted_cells  one row per wanted statistic, count in it and atom that the count adds up
--         ladder_rows   one row per combination of published codes
--         t1            one row per population group with a published count
--         t2            one row per population group and cell of its table, and one per group and published sum
-- writes  one row per wanted statistic, count in it and published row that it adds up
--           statistic_number  bigint   row of the wanted table, from 0
--           is_other          boolean  whether it is the count that the other is compared with
--           estimate          double   persons
--           variance          double   of its error, persons squared
--           moe95             double   half-width of its 95 % margin of error, persons
--           low95             double   lower end of its 95 % interval, where it is the whole count; else NULL
--           high95            double   upper end of its 95 % interval, where it is the whole count; else NULL
-- params  {{ ladder_columns }}  name of each published column of the ladder
-- source  accuracy.md section 5; reconciliation.md section 7
-- why     Reconciled counts share noise, in ways that the folder does not tell, so what they add up to is bounded row
--         by row: a count that is one published row is that row, any other one the cells of its table.
with single_rows as (
    -- one row per wanted statistic, count in it and group of the count in which it is one published row
    select
        asked_terms.term_number,
        asked_terms.statistic_number,
        asked_terms.is_other,
        t1.COUNT as estimate,
        t1.VARIANCE as variance,
        t1.MOE95 as moe95,
        t1.LOW95 as low95,
        t1.HIGH95 as high95
    from asked_terms
    inner join t1
        on
            asked_terms.region_type = t1.REGION_TYPE
            and asked_terms.region_id = t1.REGION_ID
            and asked_terms.iteration_code = t1.ITERATION_CODE
    where asked_terms.row_id = -1
    union all
    select
        asked_terms.term_number,
        asked_terms.statistic_number,
        asked_terms.is_other,
        t2.COUNT as estimate,
        t2.VARIANCE as variance,
        t2.MOE95 as moe95,
        t2.LOW95 as low95,
        t2.HIGH95 as high95
    from asked_terms
    inner join ladder_rows on asked_terms.row_id = ladder_rows.row_id
    inner join t2
        on
            asked_terms.region_type = t2.REGION_TYPE
            and asked_terms.region_id = t2.REGION_ID
            and asked_terms.iteration_code = t2.ITERATION_CODE
            and {{ ladder_columns | equal("ladder_rows", "t2") }}
)

select
    single_rows.statistic_number,
    single_rows.is_other,
    cast(single_rows.estimate as double) as estimate,
    single_rows.variance,
    single_rows.moe95,
    cast(single_rows.low95 as double) as low95,
    cast(single_rows.high95 as double) as high95
from single_rows
union all
select
    wanted_cells.statistic_number,
    wanted_cells.is_other,
    cast(wanted_cells.noisy_count as double) as estimate,
    wanted_cells.variance,
    wanted_cells.moe95,
    cast(null as double) as low95,
    cast(null as double) as high95
from wanted_cells
anti join single_rows on wanted_cells.term_number = single_rows.term_number
