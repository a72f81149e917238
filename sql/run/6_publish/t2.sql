-- t2: the published tables of the ladder.
--
-- zone    published
-- reads   noisy_totals       one row per published noisy total; filled by the mechanisms
--         noisy_cells        one row per published noisy cell; filled by the mechanisms
--         statistic_cells    one row per stat level and measured cell
--         statistic_sums     one row per stat level, row that is a sum, and cell in it
--         ladder_statistics  one row per stat level
--         ladder_rows        one row per combination of published codes
--         published_groups   one row per population group with a published count
--         count_uncertainty  one row per level, kind of group and number of counts summed
--         selected_totals    one row per level, kind of group and noisy total near the limit
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           STATISTIC       varchar  the table that the group got, such as age4
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           LOW95           bigint   lower end of the 95 % interval of the true count, persons
--           HIGH95          bigint   upper end of the 95 % interval of the true count, persons
-- params  {{ ladder_columns }}  name of each published column
-- source  tabulation.md sections 6.3 and 7; accuracy.md sections 1 and 2
-- why     A sum is the sum of published cells, and comes before them. Totals are rows here only where they have no
--         folder of their own: then alone statistic_cells and statistic_sums name their rows.
with cells_and_sums as (
    -- one row per population group and published row
    select
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_cells.row_id,
        noisy_cells.noisy_count,
        1 as summed_counts
    from noisy_cells
    inner join statistic_cells
        on
            noisy_cells.stat_level = statistic_cells.stat_level
            and noisy_cells.cell_position = statistic_cells.cell_position
    union all
    select
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_sums.row_id,
        cast(sum(noisy_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts
    from noisy_cells
    inner join statistic_sums
        on
            noisy_cells.stat_level = statistic_sums.stat_level
            and noisy_cells.cell_position = statistic_sums.cell_position
    group by noisy_cells.population_group_id, noisy_cells.stat_level, statistic_sums.row_id
    union all
    select
        noisy_totals.population_group_id,
        statistic_cells.stat_level,
        statistic_cells.row_id,
        noisy_totals.noisy_count,
        1 as summed_counts
    from noisy_totals
    inner join statistic_cells on statistic_cells.stat_level = 0
)

select
    published_groups.region_id as REGION_ID,
    published_groups.region_type as REGION_TYPE,
    published_groups.iteration_code as ITERATION_CODE,
    ladder_statistics.statistic_name as STATISTIC,
    {%- for column in ladder_columns %}
    ladder_rows.{{ column.quoted }},
    {%- endfor %}
    cells_and_sums.noisy_count as COUNT,
    count_uncertainty.variance as VARIANCE,
    count_uncertainty.moe95 as MOE95,
    coalesce(
        selected_totals.low95,
        greatest(cells_and_sums.noisy_count - count_uncertainty.below95, count_uncertainty.least_count)
    ) as LOW95,
    coalesce(
        selected_totals.high95,
        greatest(cells_and_sums.noisy_count + count_uncertainty.above95, count_uncertainty.least_count)
    ) as HIGH95
from cells_and_sums
inner join ladder_rows on cells_and_sums.row_id = ladder_rows.row_id
inner join ladder_statistics on cells_and_sums.stat_level = ladder_statistics.stat_level
inner join published_groups on cells_and_sums.population_group_id = published_groups.population_group_id
inner join count_uncertainty
    on
        published_groups.level_id = count_uncertainty.level_id
        and published_groups.is_total_only = count_uncertainty.is_total_only
        and cells_and_sums.summed_counts = count_uncertainty.summed_counts
left join selected_totals
    on
        published_groups.level_id = selected_totals.level_id
        and published_groups.is_total_only = selected_totals.is_total_only
        and cells_and_sums.noisy_count = selected_totals.noisy_count
        and cells_and_sums.stat_level = 0
order by
    published_groups.region_key,
    published_groups.iteration_id,
    cells_and_sums.row_id
