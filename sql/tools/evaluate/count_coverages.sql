-- count_coverages: how often margins of error cover: by level, by level and size, by level and statistic.
--
-- zone    confidential
-- reads   count_errors  one row per run and measured count
-- writes  one row per level, one per level and size bucket, and one per level and statistic
--           population_group_level   varchar  such as COUNTY-2
--           size_start               bigint   smallest size of the bucket; NULL for all sizes
--           statistic                varchar  as of measured_rows; NULL for the cells of all statistics
--           stat_level               tinyint  0 total, 1 the coarsest table, ...; NULL likewise
--           counts                   bigint   free measured counts
--           independent_counts       double   as many independent ones tell as much of their coverage, at least
--           coverage                 double   share of these counts within their published MOE95
--           expected_coverage        double   mean chance of these counts to be within it
--           stated_moe95             double   mean half-width that the laws of their noise have, persons
--           observed_moe95           double   smallest m such that 95 % of their errors are within m, persons
--           stated_deviation         double   root of the mean variance of their noise, persons
--           observed_deviation       double   root of their mean squared error, persons
--           small_counts             bigint   small measured counts
--           small_coverage           double   share of these counts within their published MOE95
--           small_expected_coverage  double   mean chance of these counts to be within it
-- source  evaluation.md section 2.4 (coverage of the published MOE95 interval, observed 95 % MOE)
-- why     Sums of cells whose table was measured too have statistics of their own, and are in no other row.
select
    count_errors.population_group_level,
    count_errors.size_start,
    count_errors.statistic,
    count_errors.stat_level,
    count(*) filter (where count_errors.is_free) as counts,
    count(*) filter (where count_errors.is_free) / avg(count_errors.shared) filter (where count_errors.is_free)
        as independent_counts,
    avg(cast(count_errors.is_covered as integer)) filter (where count_errors.is_free) as coverage,
    avg(count_errors.expected_coverage) filter (where count_errors.is_free) as expected_coverage,
    avg(count_errors.stated_moe95) filter (where count_errors.is_free) as stated_moe95,
    quantile_disc(abs(count_errors.error), 0.95) filter (where count_errors.is_free) as observed_moe95,
    sqrt(avg(count_errors.stated_variance) filter (where count_errors.is_free)) as stated_deviation,
    sqrt(avg(count_errors.error * count_errors.error) filter (where count_errors.is_free)) as observed_deviation,
    count(*) filter (where not count_errors.is_free) as small_counts,
    avg(cast(count_errors.is_covered as integer)) filter (where not count_errors.is_free) as small_coverage,
    avg(count_errors.expected_coverage) filter (where not count_errors.is_free) as small_expected_coverage
from count_errors
group by
    grouping sets (
        (count_errors.population_group_level, count_errors.is_cell),
        (count_errors.population_group_level, count_errors.is_cell, count_errors.size_start),
        (count_errors.population_group_level, count_errors.statistic, count_errors.stat_level)
    )
having count_errors.is_cell is distinct from false
