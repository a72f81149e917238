-- t2: the published sex-by-age tables.
--
-- zone    published
-- reads   noisy_cells        one row per published noisy sex-by-age cell; filled by the mechanisms
--         statistic_cells    one row per stat level, sex and age bin
--         published_groups   one row per population group with a published count
--         count_uncertainty  one row per level, kind of group and number of counts summed
-- writes  one row per population group with a sex-by-age table, sex and age bin, and one per group and sex
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages
--           AGEEND          varchar  last age of the bin, years; * for all ages
--           SEX             varchar  1 male, 2 female
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
-- source  tabulation.md sections 6.3 and 7; accuracy.md section 1
-- why     The marginal of each sex is the sum of its published cells, and comes before them.
with named_cells as (
    -- one row per population group, sex and age bin
    select
        noisy_cells.population_group_id,
        statistic_cells.sex,
        statistic_cells.age_start,
        statistic_cells.age_end,
        noisy_cells.noisy_count
    from noisy_cells
    inner join statistic_cells
        on
            noisy_cells.stat_level = statistic_cells.stat_level
            and noisy_cells.cell_position = statistic_cells.cell_position
),

cells_and_marginals as (
    -- one row per population group, sex and age bin, and one per population group and sex
    select
        named_cells.population_group_id,
        named_cells.sex,
        named_cells.age_start,
        named_cells.age_end,
        named_cells.noisy_count,
        1 as summed_counts
    from named_cells
    union all
    select
        named_cells.population_group_id,
        named_cells.sex,
        null as age_start,
        null as age_end,
        cast(sum(named_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts
    from named_cells
    group by named_cells.population_group_id, named_cells.sex
)

select
    published_groups.region_id as REGION_ID,
    published_groups.region_type as REGION_TYPE,
    published_groups.iteration_code as ITERATION_CODE,
    coalesce(cast(cells_and_marginals.age_start as varchar), '*') as AGESTART,
    coalesce(cast(cells_and_marginals.age_end as varchar), '*') as AGEEND,
    cast(cells_and_marginals.sex as varchar) as SEX,
    cells_and_marginals.noisy_count as COUNT,
    count_uncertainty.variance as VARIANCE,
    count_uncertainty.moe95 as MOE95,
    greatest(cells_and_marginals.noisy_count - count_uncertainty.below95, count_uncertainty.least_count) as LOW95,
    greatest(cells_and_marginals.noisy_count + count_uncertainty.above95, count_uncertainty.least_count) as HIGH95
from cells_and_marginals
inner join published_groups
    on cells_and_marginals.population_group_id = published_groups.population_group_id
inner join count_uncertainty
    on
        published_groups.level_id = count_uncertainty.level_id
        and published_groups.is_total_only = count_uncertainty.is_total_only
        and cells_and_marginals.summed_counts = count_uncertainty.summed_counts
order by
    published_groups.region_type,
    published_groups.region_id,
    published_groups.iteration_code,
    cells_and_marginals.age_start nulls first,
    cells_and_marginals.sex
