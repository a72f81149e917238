-- residuals: how often each residual occurs among the free counts of a law of noise, for the empirical privacy loss.
--
-- zone    confidential
-- reads   count_errors  one row per run and measured count
-- writes  one row per population group level, law of published noise and residual of its free counts
--           population_group_level  varchar  such as COUNTY-2
--           noise                   varchar  total only, or stage 2
--           residual                bigint   as the noise left the count, minus exact, persons
--           counts                  bigint   free measured counts with this residual, >= 1
-- source  evaluation.md section 3
-- why     Free counts are draws of one law, whatever the size of their groups. Small counts are not: see count_errors.
select
    count_errors.population_group_level,
    count_errors.noise,
    count_errors.residual,
    count(*) as counts
from count_errors
where count_errors.is_free
group by count_errors.population_group_level, count_errors.noise, count_errors.residual
