-- count_coverages: how often margins of error cover: by level, by level and size, by level and statistic.
--
-- zone    confidential
-- reads   count_errors  one row per run and measured count
-- writes  one row per level, one per level and size bucket, and one per level and statistic
--           population_group_level   varchar  such as COUNTY-2
--           size_start               bigint   smallest size of the bucket; NULL for all sizes
--           noise                    varchar  total only, or stage 2; NULL for all statistics
--           stat_level               tinyint  0 total, 1 the coarsest table, ...; NULL for all statistics
--           counts                   bigint   free measured counts
--           coverage                 double   share of these counts within their published MOE95
--           expected_coverage        double   mean chance of these counts to be within it
--           observed_moe95           bigint   smallest m such that 95 % of their errors are within m, persons
--           observed_deviation       double   root of their mean squared error, persons
--           small_counts             bigint   small measured counts
--           small_coverage           double   share of these counts within their published MOE95
--           small_expected_coverage  double   mean chance of these counts to be within it
-- source  evaluation.md section 2.4 (coverage of the published MOE95 interval, observed 95 % MOE)
select
    count_errors.population_group_level,
    count_errors.size_start,
    count_errors.noise,
    count_errors.stat_level,
    count(*) filter (where count_errors.is_free) as counts,
    avg(cast(count_errors.is_covered as integer)) filter (where count_errors.is_free) as coverage,
    avg(count_errors.expected_coverage) filter (where count_errors.is_free) as expected_coverage,
    quantile_disc(abs(count_errors.error), 0.95) filter (where count_errors.is_free) as observed_moe95,
    sqrt(avg(count_errors.error * count_errors.error) filter (where count_errors.is_free)) as observed_deviation,
    count(*) filter (where not count_errors.is_free) as small_counts,
    avg(cast(count_errors.is_covered as integer)) filter (where not count_errors.is_free) as small_coverage,
    avg(count_errors.expected_coverage) filter (where not count_errors.is_free) as small_expected_coverage
from count_errors
group by grouping sets (
    (count_errors.population_group_level),
    (count_errors.population_group_level, count_errors.size_start),
    (count_errors.population_group_level, count_errors.noise, count_errors.stat_level)
)
