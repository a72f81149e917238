-- residuals: how often each residual occurs among the free counts of a law of noise, for the empirical privacy loss.
--
-- zone    confidential
-- reads   count_errors  one row per run and measured count
-- writes  one row per population group level, law of published noise and residual of its free counts
--           population_group_level  varchar  such as COUNTY-2
--           noise                   varchar  total only, stage 2, or a table that is measured with others
--           law_id                  integer  which of its laws
--           residual                bigint   as the noise left the count, minus exact, whole persons, halves up
--           counts                  bigint   free measured counts with this residual, >= 1
--           shared                  double   how many counts each shares its noise with, added up
-- source  evaluation.md section 3
-- why     Free counts of a law are draws of it, whatever the size of their groups. Small counts are not: see
--         count_errors.
select
    count_errors.population_group_level,
    count_errors.noise,
    count_errors.law_id,
    count_errors.residual,
    count(*) as counts,
    sum(count_errors.shared) as shared
from count_errors
where count_errors.is_free
group by
    count_errors.population_group_level,
    count_errors.noise,
    count_errors.law_id,
    count_errors.residual
