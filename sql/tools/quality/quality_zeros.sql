-- quality_zeros: cells of tables that are 0.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  cells of tables
--           found     bigint  cells that are 0
--           expected  double  the most that noise makes on average, whatever the truth
-- source  evaluation.md section 6
-- why     Noise is symmetric with one peak: a cell has any value with a chance of at most 1 / sqrt(1 + 2 * variance).
select
    count(*) as looked,
    count(*) filter (where t2.COUNT = 0) as found,
    coalesce(sum(1 / sqrt(1 + 2 * t2.VARIANCE)), 0) as expected
from t2
where t2.AGESTART <> '*'
