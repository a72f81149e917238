-- wanted_terms: the counts that wanted statistics are made of, added up over groups with the same cells.
--
-- zone    published
-- reads   wanted_cells       one row per wanted statistic, count in it and atom that the count adds up
--         ladder_statistics  one row per stat level
-- writes  one row per wanted statistic, level in it, stat level, and set of cells of a group in either of its sums
--           statistic_number  bigint     key of the wanted statistics
--           level_name        varchar    such as COUNTY-2; NULL where the index of groups names none
--           is_total_only     boolean    whether the groups could get a total and nothing else
--           stat_level        tinyint    table of the groups; 0 a total alone
--           cells             integer[]  cell positions, ascending
--           one               bigint[]   how often each is in the count that is asked for
--           other             bigint[]   how often each is in the count that is divided by, or subtracted
--           number_of_groups  bigint     how many groups there are
--           noisy_one         bigint     the count that is asked for, parts of persons as ladder_statistics says
--           noisy_other       bigint     the count that is divided by, or subtracted, likewise
--           chosen_counts     bigint[]   the count of each group, persons; of totals alone
--           is_whole          boolean    whether no cell is wanted in part
-- source  accuracy.md section 5
-- why     Noise that both counts have is no difference between them, and the cells of a group may have noise in common.
--         Groups have none. Of a folder that `reconcile` made, whose counts are not whole, the counts are of no use.
with wanted_atoms as (
    -- one row per wanted statistic and atom in either of its counts
    select
        wanted_cells.statistic_number,
        wanted_cells.level_name,
        wanted_cells.is_total_only,
        wanted_cells.stat_level,
        wanted_cells.first_atom,
        wanted_cells.cell_position,
        cast(wanted_cells.noisy_count * ladder_statistics.parts as bigint) as noisy_count,
        cast(coalesce(sum(wanted_cells.times) filter (where not wanted_cells.is_other), 0) as bigint) as one,
        cast(coalesce(sum(wanted_cells.times) filter (where wanted_cells.is_other), 0) as bigint) as other,
        bool_and(wanted_cells.is_whole) as is_whole
    from wanted_cells
    inner join ladder_statistics on wanted_cells.stat_level = ladder_statistics.stat_level
    group by
        wanted_cells.statistic_number,
        wanted_cells.level_name,
        wanted_cells.is_total_only,
        wanted_cells.stat_level,
        wanted_cells.first_atom,
        wanted_cells.cell_position,
        wanted_cells.noisy_count,
        ladder_statistics.parts
),

group_counts as (
    -- one row per wanted statistic and group in either of its counts
    select
        wanted_atoms.statistic_number,
        wanted_atoms.level_name,
        wanted_atoms.is_total_only,
        wanted_atoms.stat_level,
        wanted_atoms.first_atom,
        list(wanted_atoms.cell_position order by wanted_atoms.cell_position) as cells,
        list(wanted_atoms.one order by wanted_atoms.cell_position) as one,
        list(wanted_atoms.other order by wanted_atoms.cell_position) as other,
        sum(wanted_atoms.one * wanted_atoms.noisy_count) as noisy_one,
        sum(wanted_atoms.other * wanted_atoms.noisy_count) as noisy_other,
        max(wanted_atoms.noisy_count) as chosen_count,
        bool_and(wanted_atoms.is_whole) as is_whole
    from wanted_atoms
    group by
        wanted_atoms.statistic_number,
        wanted_atoms.level_name,
        wanted_atoms.is_total_only,
        wanted_atoms.stat_level,
        wanted_atoms.first_atom
)

select
    group_counts.statistic_number,
    group_counts.level_name,
    group_counts.is_total_only,
    group_counts.stat_level,
    group_counts.cells,
    group_counts.one,
    group_counts.other,
    count(*) as number_of_groups,
    cast(sum(group_counts.noisy_one) as bigint) as noisy_one,
    cast(sum(group_counts.noisy_other) as bigint) as noisy_other,
    list(group_counts.chosen_count order by group_counts.first_atom) filter (
        where group_counts.stat_level = 0
    ) as chosen_counts,
    bool_and(group_counts.is_whole) as is_whole
from group_counts
group by
    group_counts.statistic_number,
    group_counts.level_name,
    group_counts.is_total_only,
    group_counts.stat_level,
    group_counts.cells,
    group_counts.one,
    group_counts.other
