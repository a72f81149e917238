-- t2: the published tables of the ladder.
--
-- zone    published
-- reads   ladder_counts         one row per population group and cell of its table, and one per group and published sum
--         ladder_statistics     one row per stat level
--         ladder_rows           one row per combination of published codes
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
--         count_uncertainty     one row per level, kind of group and number of counts summed
--         selected_totals       one row per level, kind of group and noisy total near the limit
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ number_columns }}  integer  the first and the last number, such as AGE_START and AGE_END; NULL for all
--           IS_MARGINAL     boolean  whether the row is a sum of other rows of its group in this table
--           {{ counted }}  bigint  {records}, noisy; may be negative; in a ladder of sums it is called SUM
--           VARIANCE        double   of the noise in {counted}, {records} squared; NULL for a sum of counts cut at 0
--           MOE95           double   half-width of the 95 % margin of error, {records}; NULL likewise
--           LOW95           bigint   lower end of the 95 % interval of the true count, {records}
--           HIGH95          bigint   upper end of the 95 % interval of the true count, {records}
-- params  {{ counted }}         the name of what is counted
--         {{ ladder_columns }}  name of each published column
--         {{ number_columns }}  name of each column of numbers
-- source  tabulation.md sections 6.3 and 7; accuracy.md sections 1 and 2
-- why     Sums come before the cells in them. Left joins: as in t1.
select
    published_regions.region_id as REGION_ID,
    published_regions.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    ladder_statistics.statistic_name as STATISTIC,
    {{ ladder_columns | of("ladder_rows") }},
    {{ number_columns | of("ladder_rows") }},
    ladder_counts.is_marginal as IS_MARGINAL,
    ladder_counts.noisy_count as {{ counted | of }},
    count_uncertainty.variance as VARIANCE,
    coalesce(
        greatest(ladder_counts.noisy_count - selected_totals.low95, selected_totals.high95 - ladder_counts.noisy_count),
        count_uncertainty.moe95
    ) as MOE95,
    coalesce(
        selected_totals.low95,
        greatest(ladder_counts.noisy_count - count_uncertainty.below95, count_uncertainty.least_count)
    ) as LOW95,
    coalesce(
        selected_totals.high95,
        greatest(ladder_counts.noisy_count + count_uncertainty.above95, count_uncertainty.least_count)
    ) as HIGH95
from ladder_counts
inner join ladder_rows on ladder_counts.row_id = ladder_rows.row_id
inner join ladder_statistics on ladder_counts.stat_level = ladder_statistics.stat_level
left join published_iterations
    on
        ladder_counts.level_id = published_iterations.level_id
        and ladder_counts.iteration_position = published_iterations.iteration_position
left join published_regions
    on
        ladder_counts.level_id = published_regions.level_id
        and (
            ladder_counts.population_group_id - ladder_counts.iteration_position
            = published_regions.first_population_group_id
        )
-- published/margins.py: the noise of so many counts, added, lies within -moe95 and moe95 with probability 0.95 or more
left join count_uncertainty
    on
        ladder_counts.level_id = count_uncertainty.level_id
        and published_iterations.is_total_only = count_uncertainty.is_total_only
        and ladder_counts.summed_counts = count_uncertainty.summed_counts
left join selected_totals
    on
        ladder_counts.level_id = selected_totals.level_id
        and published_iterations.is_total_only = selected_totals.is_total_only
        and ladder_counts.noisy_count = selected_totals.noisy_count
        and ladder_counts.stat_level = 0
order by
    published_regions.region_key,
    published_iterations.iteration_id,
    ladder_counts.row_id
