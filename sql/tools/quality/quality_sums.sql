-- quality_sums: groups whose table does not add up.
--
-- zone    published
-- reads   t1  one row per population group with a published count
--         t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  groups with a table
--           found     bigint  groups whose total, or a sum of one sex, is not the sum of its cells
--           expected  double  0: they are made of the same cells
-- source  evaluation.md section 6
-- why     Reconciled counts are fractions, whose sums may differ in the last digits.
with summed_cells as (
    -- one row per population group with a table
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        sum(t2.COUNT) filter (where t2.AGESTART <> '*') as of_cells,
        sum(t2.COUNT) filter (where t2.AGESTART = '*' and t2.SEX = '1') as of_men,
        sum(t2.COUNT) filter (where t2.AGESTART <> '*' and t2.SEX = '1') as of_cells_of_men,
        sum(t2.COUNT) filter (where t2.AGESTART = '*' and t2.SEX = '2') as of_women,
        sum(t2.COUNT) filter (where t2.AGESTART <> '*' and t2.SEX = '2') as of_cells_of_women
    from t2
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
)

select
    count(*) as looked,
    count(*) filter (
        where greatest(
            abs(summed_cells.of_cells - t1.COUNT),
            abs(summed_cells.of_men - summed_cells.of_cells_of_men),
            abs(summed_cells.of_women - summed_cells.of_cells_of_women)
        ) > 0.01
    ) as found,
    0e0 as expected
from summed_cells
inner join t1
    on
        summed_cells.region_type = t1.REGION_TYPE
        and summed_cells.region_id = t1.REGION_ID
        and summed_cells.iteration_code = t1.ITERATION_CODE
