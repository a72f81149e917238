-- wanted_terms: the counts that wanted statistics are made of, those with noise of one law added up.
--
-- zone    published
-- reads   wanted_cells  one row per wanted statistic, count in it and atom that the count adds up
-- writes  one row per wanted statistic, level in it, and number of times that counts are in either of its sums
--           statistic_number  bigint    key of the wanted statistics
--           level_name        varchar   such as COUNTY-2; NULL where the index of groups names none
--           is_total_only     boolean   whether the groups could get a total and nothing else
--           is_total          boolean   whether these are totals of groups without a table
--           one               bigint    how often they are in the count that is asked for
--           other             bigint    how often they are in the count that is divided by, or subtracted
--           draws             bigint    how many independent counts there are
--           noisy_count       bigint    all of them, persons
--           chosen_counts     bigint[]  each of them, of totals
--           is_whole          boolean   whether no cell is wanted in part
-- source  accuracy.md section 5
-- why     Noise that both counts have is no difference. Reconciled counts are not whole: noisy_count is of no use.
with wanted_atoms as (
    -- one row per wanted statistic and atom in either of its counts
    select
        wanted_cells.statistic_number,
        wanted_cells.level_name,
        wanted_cells.is_total_only,
        wanted_cells.stat_level = 0 as is_total,
        wanted_cells.atom,
        wanted_cells.noisy_count,
        coalesce(sum(wanted_cells.times) filter (where not wanted_cells.is_other), 0) as one,
        coalesce(sum(wanted_cells.times) filter (where wanted_cells.is_other), 0) as other,
        bool_and(wanted_cells.is_whole) as is_whole
    from wanted_cells
    group by
        wanted_cells.statistic_number,
        wanted_cells.level_name,
        wanted_cells.is_total_only,
        wanted_cells.stat_level,
        wanted_cells.atom,
        wanted_cells.noisy_count
)

select
    wanted_atoms.statistic_number,
    wanted_atoms.level_name,
    wanted_atoms.is_total_only,
    wanted_atoms.is_total,
    cast(wanted_atoms.one as bigint) as one,
    cast(wanted_atoms.other as bigint) as other,
    count(*) as draws,
    cast(sum(wanted_atoms.noisy_count) as bigint) as noisy_count,
    list(cast(wanted_atoms.noisy_count as bigint) order by wanted_atoms.atom) filter (
        where wanted_atoms.is_total
    ) as chosen_counts,
    bool_and(wanted_atoms.is_whole) as is_whole
from wanted_atoms
group by
    wanted_atoms.statistic_number,
    wanted_atoms.level_name,
    wanted_atoms.is_total_only,
    wanted_atoms.is_total,
    wanted_atoms.one,
    wanted_atoms.other
