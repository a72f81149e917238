-- reconciled_residuals: how far each free reconciled count is from the exact one, and its own variance.
--
-- zone    confidential
-- reads   count_errors  one row per run and measured count
-- writes  one row per population group level, error and variance of its free reconciled counts
--           population_group_level  varchar  such as COUNTY-2
--           error                   bigint   reconciled minus exact, persons
--           variance                double   persons squared, at least $least_variance
--           counts                  bigint   free measured counts with both, >= 1
-- params  $least_variance  bigint  below it, a count of whole persons shows nothing of its law
-- source  evaluation.md section 3.5
select
    count_errors.population_group_level,
    count_errors.error,
    count_errors.variance,
    count(*) as counts
from count_errors
where
    count_errors.is_free
    and count_errors.variance >= $least_variance
group by count_errors.population_group_level, count_errors.error, count_errors.variance
