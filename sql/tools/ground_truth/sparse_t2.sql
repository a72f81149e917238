-- sparse_t2: the exact cells with people of the population groups that may plausibly get a sex-by-age table.
--
-- zone    confidential
-- reads   exact_bins     one row per population group, sex and age bin with people, all ages included
--         chosen_groups  one row per population group with a sex-by-age table
--         regions        one row per region
--         iterations     one row per characteristic iteration of level 1 or 2
-- writes  one row per population group, sex and age bin of any statistic with people, and one per group and sex
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages
--           AGEEND          varchar  last age of the bin, years; * for all ages
--           SEX             varchar  1 male, 2 female
--           COUNT           bigint   persons, exact, >= 1
-- source  evaluation.md section 1
-- why     It has the bins of age4, age9 and age23 (a bin that two statistics share is there once) and both sex
--         marginals, where they hold anybody.
select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    coalesce(cast(exact_bins.age_start as varchar), '*') as AGESTART,
    coalesce(cast(exact_bins.age_end as varchar), '*') as AGEEND,
    cast(exact_bins.sex as varchar) as SEX,
    exact_bins.exact_count as COUNT
from exact_bins
inner join chosen_groups
    on exact_bins.population_group_id = chosen_groups.population_group_id and chosen_groups.stat_level = 1
inner join regions on chosen_groups.region_key = regions.region_key
inner join iterations on chosen_groups.iteration_id = iterations.iteration_id
