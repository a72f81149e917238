-- by_statistic: stated and observed margins of error, by level and statistic.
--
-- zone    confidential
-- reads   count_coverages  one row per level, one per level and size bucket, and one per level and statistic
-- writes  one row per population group level and statistic with free counts
--           population_group_level  varchar  such as COUNTY-2
--           statistic               varchar  total only, the name of the table, or such as TOTAL of age4
--           stated_moe95            double   half-width of the margin of error that the ledger states, persons
--           observed_moe95          double   smallest m such that 95 % of the errors are within m, persons
--           stated_deviation        double   standard deviation of the noise, persons
--           observed_deviation      double   root of the mean squared error, persons
--           counts                  bigint   free measured counts
--           independent_counts      double   as many independent ones tell as much of their coverage, at least
--           coverage                double   share of these counts within their published MOE95
--           expected_coverage       double   mean chance of these counts to be within it
-- source  evaluation.md section 2.5 (observed 95 % MOE against the ledger's stated MOE)
-- why     Fitted counts of one table may have several laws: what is stated of them is a mean.
select
    count_coverages.population_group_level,
    count_coverages.statistic,
    count_coverages.stated_moe95,
    count_coverages.observed_moe95,
    count_coverages.stated_deviation,
    count_coverages.observed_deviation,
    count_coverages.counts,
    count_coverages.independent_counts,
    count_coverages.coverage,
    count_coverages.expected_coverage
from count_coverages
where count_coverages.counts > 0 and count_coverages.statistic is not null
