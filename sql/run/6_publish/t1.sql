-- t1: the published totals.
--
-- zone    published
-- reads   noisy_totals          one row per published noisy total; filled by the mechanisms
--         noisy_cells           one row per published noisy cell; filled by the mechanisms
--         level_sizes           one row per population group level
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
--         count_uncertainty     one row per level, kind of group and number of counts summed
--         selected_totals       one row per level, kind of group and noisy total near the limit
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ counted }}  bigint  {records}, noisy; may be negative; in a ladder of sums it is called SUM
--           VARIANCE        double   of the noise in {counted}, {records} squared; NULL for a sum of counts cut at 0
--           MOE95           double   half-width of the 95 % margin of error, {records}; NULL likewise
--           LOW95           bigint   lower end of the 95 % interval of the true count, {records}
--           HIGH95          bigint   upper end of the 95 % interval of the true count, {records}
-- params  {{ counted }}  the name of what is counted
-- source  tabulation.md sections 6.3 and 7; accuracy.md sections 1 and 2
-- why     A group with a table has no total of its own: its total is the sum of its published cells. A total alone that
--         lies near the limit of publication has an interval of its own, and MOE95 reaches both its ends; a sum of
--         cells never has, be it of one cell. Left joins keep the planner from joining the small tables first, or from
--         holding all counts in memory, for it expects a handful of them.
with group_counts as (
    -- one row per population group with a published count
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id,
        noisy_totals.noisy_count,
        1 as summed_counts,
        true as is_total_alone
    from noisy_totals
    union all
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        cast(sum(noisy_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts,
        false as is_total_alone
    from noisy_cells
    group by noisy_cells.level_id, noisy_cells.population_group_id
),

placed_counts as (
    -- one row per population group with a published count
    select
        group_counts.level_id,
        group_counts.population_group_id,
        group_counts.noisy_count,
        group_counts.summed_counts,
        group_counts.is_total_alone,
        (
            (group_counts.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position
    from group_counts
    inner join level_sizes on group_counts.level_id = level_sizes.level_id
)

select
    published_regions.region_id as REGION_ID,
    published_regions.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    placed_counts.noisy_count as {{ counted | of }},
    count_uncertainty.variance as VARIANCE,
    coalesce(
        greatest(placed_counts.noisy_count - selected_totals.low95, selected_totals.high95 - placed_counts.noisy_count),
        count_uncertainty.moe95
    ) as MOE95,
    coalesce(
        selected_totals.low95,
        greatest(placed_counts.noisy_count - count_uncertainty.below95, count_uncertainty.least_count)
    ) as LOW95,
    coalesce(
        selected_totals.high95,
        greatest(placed_counts.noisy_count + count_uncertainty.above95, count_uncertainty.least_count)
    ) as HIGH95
from placed_counts
left join published_iterations
    on
        placed_counts.level_id = published_iterations.level_id
        and placed_counts.iteration_position = published_iterations.iteration_position
left join published_regions
    on
        placed_counts.level_id = published_regions.level_id
        and (
            placed_counts.population_group_id - placed_counts.iteration_position
            = published_regions.first_population_group_id
        )
-- published/margins.py: the noise of so many counts, added, lies within -moe95 and moe95 with probability 0.95 or more
left join count_uncertainty
    on
        placed_counts.level_id = count_uncertainty.level_id
        and published_iterations.is_total_only = count_uncertainty.is_total_only
        and placed_counts.summed_counts = count_uncertainty.summed_counts
left join selected_totals
    on
        placed_counts.level_id = selected_totals.level_id
        and published_iterations.is_total_only = selected_totals.is_total_only
        and placed_counts.noisy_count = selected_totals.noisy_count
        and placed_counts.is_total_alone
order by
    published_regions.region_key,
    published_iterations.iteration_id
