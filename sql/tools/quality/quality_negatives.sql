-- quality_negatives: sums that are further below 0 than noise brings them.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  sums of the cells of one sex
--           found     bigint  sums below 0 by more than twice their MOE95
--           expected  double  the most that noise makes on average, whatever the truth
-- source  evaluation.md section 6
-- why     Nobody is fewer than 0. Noise is beyond its MOE95 to one side with a chance of at most 1/40, and then beyond
--         twice that with at most 1/800: the logarithm of the chance to be further out falls ever faster.
select
    count(*) as looked,
    count(*) filter (where t2.COUNT < -2 * t2.MOE95) as found,
    count(*) / 800e0 as expected
from t2
where t2.AGESTART = '*' and t2.SEX <> '*'
