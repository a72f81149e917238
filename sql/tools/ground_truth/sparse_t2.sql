-- sparse_t2: the exact cells with people of the population groups that may plausibly get a sex-by-age table.
--
-- zone    confidential
-- reads   group_cells       one row per population group, stat level and sex-by-age cell with people
--         statistic_cells   one row per stat level, sex and age bin
--         chosen_groups     one row per population group with a sex-by-age table
--         regions           one row per region
--         iterations        one row per characteristic iteration of level 1 or 2
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
with counted_bins as (
    -- one row per population group, sex and age bin with people
    select
        group_cells.population_group_id,
        statistic_cells.sex,
        statistic_cells.age_start,
        statistic_cells.age_end,
        max(group_cells.exact_count) as exact_count
    from group_cells
    inner join statistic_cells
        on
            group_cells.stat_level = statistic_cells.stat_level
            and group_cells.cell_position = statistic_cells.cell_position
    group by
        group_cells.population_group_id,
        statistic_cells.sex,
        statistic_cells.age_start,
        statistic_cells.age_end
    union all
    select
        group_cells.population_group_id,
        statistic_cells.sex,
        null as age_start,
        null as age_end,
        cast(sum(group_cells.exact_count) as bigint) as exact_count
    from group_cells
    inner join statistic_cells
        on
            group_cells.stat_level = statistic_cells.stat_level
            and group_cells.cell_position = statistic_cells.cell_position
    where group_cells.stat_level = 1
    group by group_cells.population_group_id, statistic_cells.sex
)

select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    coalesce(cast(counted_bins.age_start as varchar), '*') as AGESTART,
    coalesce(cast(counted_bins.age_end as varchar), '*') as AGEEND,
    cast(counted_bins.sex as varchar) as SEX,
    counted_bins.exact_count as COUNT
from counted_bins
inner join chosen_groups
    on counted_bins.population_group_id = chosen_groups.population_group_id and chosen_groups.stat_level = 1
inner join regions on chosen_groups.region_key = regions.region_key
inner join iterations on chosen_groups.iteration_id = iterations.iteration_id
