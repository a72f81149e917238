-- quality_round_counts: cells of tables that are multiples of five.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  cells of tables
--           found     bigint  cells that are multiples of five
--           expected  double  the most that noise makes on average, whatever the truth
-- source  evaluation.md section 6
-- why     Of noise with one peak, every fifth value has a chance of at most a fifth and the chance of the peak.
select
    count(*) as looked,
    count(*) filter (where t2.COUNT % 5 = 0) as found,
    coalesce(sum(least(1, 0.2e0 + 1 / sqrt(1 + 2 * t2.VARIANCE))), 0) as expected
from t2
where t2.AGESTART <> '*'
