-- ground_truth_t2: the exact sex-by-age tables of every population group that may get one.
--
-- zone    confidential
-- reads   exact_bins        one row per population group, sex and age bin with people, all ages included
--         statistic_cells   one row per stat level, sex and age bin
--         level_regions     one row per population group level and region
--         level_iterations  one row per population group level and iteration it tabulates
--         regions           one row per region
--         iterations        one row per characteristic iteration of level 1 or 2
-- writes  one row per population group, sex and age bin of any statistic, and one per group and sex
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages
--           AGEEND          varchar  last age of the bin, years; * for all ages
--           SEX             varchar  1 male, 2 female
--           COUNT           bigint   persons, exact
-- source  evaluation.md section 1
-- why     It has the bins of age4, age9 and age23 (a bin that two statistics share is there once) and both sex
--         marginals; for public or synthetic data only.
with bins as (
    -- one row per sex and age bin of any statistic, and one per sex for all ages
    select
        statistic_cells.sex,
        statistic_cells.age_start,
        statistic_cells.age_end
    from statistic_cells
    union
    select
        statistic_cells.sex,
        null as age_start,
        null as age_end
    from statistic_cells
)

select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    coalesce(cast(bins.age_start as varchar), '*') as AGESTART,
    coalesce(cast(bins.age_end as varchar), '*') as AGEEND,
    cast(bins.sex as varchar) as SEX,
    coalesce(exact_bins.exact_count, 0) as COUNT
from level_regions
inner join regions on level_regions.region_key = regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and not level_iterations.is_total_only
inner join iterations on level_iterations.iteration_id = iterations.iteration_id
cross join bins
left join exact_bins
    on
        level_regions.first_population_group_id + level_iterations.iteration_position
        = exact_bins.population_group_id
        and bins.sex = exact_bins.sex
        and bins.age_start is not distinct from exact_bins.age_start
        and bins.age_end is not distinct from exact_bins.age_end
order by
    regions.region_type,
    regions.region_id,
    iterations.iteration_code,
    bins.age_start nulls first,
    bins.age_end,
    bins.sex
