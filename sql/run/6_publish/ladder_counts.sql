-- ladder_counts: the counts of the ladder's table, by population group and row.
--
-- zone    published
-- kind    view
-- reads   noisy_totals     one row per published noisy total; filled by the mechanisms
--         noisy_cells      one row per published noisy cell; filled by the mechanisms
--         statistic_cells  one row per stat level and measured cell
--         statistic_sums   one row per stat level, row that is a sum, and cell in it
--         level_sizes      one row per population group level
-- writes  one row per population group and cell of its table, and one per group and published sum
--           level_id             integer  key of levels
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  0 a total, 1 the coarsest table, ...
--           row_id               integer  key of ladder_rows
--           noisy_count          bigint   persons; may be negative
--           summed_counts        integer  noisy counts in it
--           iteration_position   bigint   place of its iteration among the level's iterations
--           is_marginal          boolean  whether the row is a sum of cells, be it of one
-- source  tabulation.md sections 5 and 7
-- why     A sum is the sum of published cells. Totals are rows here only where they have no folder of their own: then
--         alone statistic_cells and statistic_sums name their rows.
with cells_and_sums as (
    -- one row per population group and published row
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_cells.row_id,
        noisy_cells.noisy_count,
        1 as summed_counts,
        false as is_marginal
    from noisy_cells
    inner join statistic_cells
        on
            noisy_cells.stat_level = statistic_cells.stat_level
            and noisy_cells.cell_position = statistic_cells.cell_position
    union all
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_sums.row_id,
        cast(sum(noisy_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts,
        true as is_marginal
    from noisy_cells
    inner join statistic_sums
        on
            noisy_cells.stat_level = statistic_sums.stat_level
            and noisy_cells.cell_position = statistic_sums.cell_position
    group by
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_sums.row_id
    union all
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id,
        statistic_cells.stat_level,
        statistic_cells.row_id,
        noisy_totals.noisy_count,
        1 as summed_counts,
        false as is_marginal
    from noisy_totals
    inner join statistic_cells on statistic_cells.stat_level = 0
)

select
    cells_and_sums.level_id,
    cells_and_sums.population_group_id,
    cells_and_sums.stat_level,
    cells_and_sums.row_id,
    cells_and_sums.noisy_count,
    cells_and_sums.summed_counts,
    (
        (cells_and_sums.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
    ) as iteration_position,
    cells_and_sums.is_marginal
from cells_and_sums
inner join level_sizes on cells_and_sums.level_id = level_sizes.level_id
