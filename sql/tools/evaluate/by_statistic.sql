-- by_statistic: stated and observed margins of error, by level and statistic.
--
-- zone    confidential
-- reads   count_coverages    one row per level, one per level and size bucket, and one per level and statistic
--         ladder_statistics  one row per stat level
--         noise_laws         one row per population group level and law of published noise
-- writes  one row per population group level and statistic with free counts
--           population_group_level  varchar  such as COUNTY-2
--           statistic               varchar  total only, or the name of the table, such as age4
--           stated_moe95            double   half-width of the margin of error that the ledger states, persons
--           observed_moe95          bigint   smallest m such that 95 % of the errors are within m, persons
--           stated_deviation        double   standard deviation of the noise, persons
--           observed_deviation      double   root of the mean squared error, persons
--           counts                  bigint   free measured counts
--           coverage                double   share of these counts within their published MOE95
--           expected_coverage       double   mean chance of these counts to be within it
-- source  evaluation.md section 2.5 (observed 95 % MOE against the ledger's stated MOE)
select
    count_coverages.population_group_level,
    case
        when count_coverages.noise = 'total only' then 'total only'
        else ladder_statistics.statistic_name
    end as statistic,
    noise_laws.moe95 as stated_moe95,
    count_coverages.observed_moe95,
    noise_laws.deviation as stated_deviation,
    count_coverages.observed_deviation,
    count_coverages.counts,
    count_coverages.coverage,
    count_coverages.expected_coverage
from count_coverages
inner join ladder_statistics on count_coverages.stat_level = ladder_statistics.stat_level
inner join noise_laws
    on
        count_coverages.population_group_level = noise_laws.population_group_level
        and count_coverages.noise = noise_laws.noise
where count_coverages.counts > 0
