-- wanted_counts: the counts that wanted statistics are made of, added up.
--
-- zone    published
-- reads   wanted_cells  one row per wanted statistic, count in it and atom that the count adds up
-- writes  one row per wanted statistic and count in it that was published
--           statistic_number  bigint   key of the wanted statistics
--           is_other          boolean  the count that is divided by, or subtracted
--           level_name        varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only     boolean  whether the group could get a total and nothing else
--           noisy_count       bigint   persons
--           summed_counts     bigint   independent counts in it
--           is_total          boolean  whether it is the total of a group without a table
--           is_whole          boolean  whether no cell is wanted in part
-- source  accuracy.md section 5
select
    wanted_cells.statistic_number,
    wanted_cells.is_other,
    wanted_cells.level_name,
    wanted_cells.is_total_only,
    cast(sum(wanted_cells.noisy_count) as bigint) as noisy_count,
    count(*) as summed_counts,
    bool_and(wanted_cells.stat_level = 0) as is_total,
    bool_and(wanted_cells.is_whole) as is_whole
from wanted_cells
group by
    wanted_cells.statistic_number,
    wanted_cells.is_other,
    wanted_cells.level_name,
    wanted_cells.is_total_only
