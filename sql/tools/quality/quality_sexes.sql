-- quality_sexes: groups with as many men as women.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  groups with a table
--           found     bigint  groups with as many men as women
--           expected  double  the most that noise makes on average, whatever the truth
-- source  evaluation.md section 6
-- why     A symmetric difference with one peak has any value with a chance of at most 1 / sqrt(1 + 2 * variance).
with sums_of_sexes as (
    -- one row per population group with a table
    select
        max(t2.COUNT) filter (where t2.SEX = '1') as men,
        max(t2.COUNT) filter (where t2.SEX = '2') as women,
        sum(t2.VARIANCE) as variance
    from t2
    where t2.AGESTART = '*' and t2.SEX <> '*'
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
)

select
    count(*) as looked,
    count(*) filter (where sums_of_sexes.men = sums_of_sexes.women) as found,
    coalesce(sum(1 / sqrt(1 + 2 * sums_of_sexes.variance)), 0) as expected
from sums_of_sexes
