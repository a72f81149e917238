"""How good, how private: releases measured against exact counts. For public or synthetic data only.

`evaluate --out DIR` writes a folder of which every file has mode 0600, and whose manifest says "confidential": true.
A count is *measured* if it has noise of its own: a cell of T2; the T1 total of a group without a T2 table. Errors are
published minus exact, in persons, over measured counts, never over sums. All shares, coverages and chances are
fractions from 0 to 1. Runs are numbered 1, 2, ... in the order of --out-dirs.

A measured count is *free* if neither suppression nor the rule against negative counts can have touched it (chance
below 1e-6, from its exact size and the law of its noise). The others are *small*: that a small total was published
tells of its noise, so its margin of error covers it at another rate, hardly ever where nobody is; the rate is exact.

errors.parquet: one row per run and population group with a published count, in production's columns
    RUN                      integer
    REGION_ID                varchar  e.g. 44007 for a county
    REGION_TYPE              varchar  USA, STATE, COUNTY, ...
    ITERATION_CODE           varchar  characteristic iteration, 4 digits
    DETAILED_ONLY            boolean  of the iteration: tabulated as a total alone, in nation and states only
    COARSE_ONLY              boolean  of the iteration: tabulated below states only
    POPULATION_GROUP_LEVEL   varchar  such as COUNTY-2
    POPULATION_GROUP_SIZE    bigint   persons, exact
    STAT_LEVEL               tinyint  statistic selected: 0 total, 1 age4, 2 age9, 3 age23
    MEASURED_COUNTS          bigint   1 for a total, else the cells of the table
    TOTAL_ABSOLUTE_ERROR     bigint   sum of |error| over its measured counts, persons
    TOTAL_SQUARED_ERROR      bigint   sum of error^2, persons squared

by_level.parquet: one row per population group level, all runs together
    population_group_level   varchar  such as COUNTY-2
    runs                     integer
    population_groups        bigint   tabulated, people or not
    groups_with_people       bigint
    share_suppressed         double   of runs x population groups: no published count. This and the five shares below
    share_total_only         double   add up to 1. total_only: iterations that get a total and nothing else
    share_stat_level_0       double   a published total
    share_stat_level_1       double   a table of age4; likewise 2 (age9), 3 (age23)
    share_stat_level_2       double
    share_stat_level_3       double
    relative_error           double   sum of total absolute errors / sum of sizes, of published groups; NULL: no size
    median_relative_error    double   median of (total absolute error / size), of published groups with people
    counts                   bigint   free measured counts, all runs
    coverage                 double   share of them within their published MOE95; NULL where counts is 0
    expected_coverage        double   exact: mean of P(|noise| <= MOE95)
    coverage_lower           double   where the coverage of honest noise lies with a chance of 99.9 %: exact binomial
    coverage_upper           double   interval around expected_coverage
    is_as_expected           boolean  coverage_lower <= coverage <= coverage_upper
    small_counts             bigint   small measured counts, all runs
    small_coverage           double   share of them within their published MOE95
    small_expected_coverage  double   exact: mean of P(|error| <= MOE95, given that the count was published)

by_size.parquet: one row per population group level and size bucket with population groups, all runs together
    population_group_level   varchar
    size_bucket              varchar  exact size: 0, 1-9, 10-99, 100-999, 1000-9999, 10000-99999, 100000+
    size_start               bigint   smallest size in the bucket: sort by it
    and all further columns of by_level.parquet

by_statistic.parquet: one row per population group level and statistic with free counts, all runs together
    population_group_level   varchar
    statistic                varchar  total only, total, age4, age9 or age23
    stated_moe95             double   of the ledger, persons, half-width
    observed_moe95           bigint   smallest m such that 95 % of the errors are within m, persons
    stated_deviation         double   standard deviation of the noise, persons
    observed_deviation       double   root of the mean squared error, persons
    counts                   bigint   free measured counts
    and coverage, expected_coverage, coverage_lower, coverage_upper, is_as_expected as in by_level.parquet

epl.parquet: one row per population group level and law of noise with enough free counts; see epl_audit.py
    population_group_level   varchar
    noise                    varchar  total only, or stage 2 (totals and cells)
    distribution             varchar  two-sided geometric, or discrete gaussian
    residuals                bigint   free measured counts, all runs
    epl                      double   empirical privacy loss, as its authors define it
    epl_lower                double   2.5th percentile of its bootstrap, as it comes: the estimator overshoots
    epl_upper                double   97.5th
    honest_epl               double   median of what as many draws of the stated law give
    honest_upper             double   and its 97.5th percentile
    stated_loss              double   of one call: epsilon, or the largest loss of the law on the range searched
    worst_x                  bigint   where the evidence of a loss above the stated one is clearest
    stated_loss_there        double   at worst_x: epsilon, or the loss of the law there
    lower_bound_there        double   lower confidence bound of the loss at worst_x, simultaneous for all x and laws
    passes                   boolean  lower_bound_there <= stated_loss_there

epl_curve.parquet: one row per population group level, law of noise and integer x on the range searched
    population_group_level   varchar
    noise                    varchar
    x                        bigint   residual, persons
    epl_of_x                 double   log(p(x) / p(x + 1)), p the smoothed density of the residuals; NULL: not searched
    stated_loss              double   log(P(x) / P(x + 1)) of the stated law
    honest_lower             double   2.5th and 97.5th percentile of epl_of_x of honest noise, x by x
    honest_upper             double

manifest.json: {"confidential": true, "releases": [names of the folders], "runs": N, "parameters": {... as in the
manifest of the first release}, "software": {...}, "date": the day, UTC}
"""
