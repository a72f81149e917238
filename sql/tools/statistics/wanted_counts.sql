-- wanted_counts: the counts that wanted statistics are made of, added up.
--
-- zone    published
-- reads   wanted_cells  one row per wanted statistic, count in it and atom that the count adds up
-- writes  one row per wanted statistic and count in it that was published
--           statistic_number  bigint   key of the wanted statistics
--           is_other          boolean  the count that is divided by, or subtracted
--           region_type       varchar  USA, STATE, COUNTY, ...
--           noisy_count       bigint   persons
--           summed_counts     bigint   independent counts in it
--           variance          double   of the noise in one of them, persons squared
--           is_total          boolean  whether it is the total of a group without a table
--           is_whole          boolean  whether no cell is wanted in part
-- source  accuracy.md section 5
select
    wanted_cells.statistic_number,
    wanted_cells.is_other,
    wanted_cells.region_type,
    cast(sum(wanted_cells.noisy_count) as bigint) as noisy_count,
    count(*) as summed_counts,
    max(wanted_cells.variance) as variance,
    bool_and(wanted_cells.stat_level = 0) as is_total,
    bool_and(wanted_cells.is_whole) as is_whole
from wanted_cells
group by wanted_cells.statistic_number, wanted_cells.is_other, wanted_cells.region_type
