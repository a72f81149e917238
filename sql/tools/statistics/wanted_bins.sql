-- wanted_bins: the counts by the values of an attribute, of the groups of which a quantile is wanted.
--
-- zone    published
-- reads   wanted_cells  one row per wanted statistic, count in it and atom that the count adds up
-- writes  one row per wanted quantile and range of values in the table of its group
--           statistic_number  bigint   key of the wanted statistics
--           bin_start         integer  first value of the range, such as an age
--           bin_end           integer  last value of the range
--           noisy_count       bigint   persons, of the values of other attributes that are wanted
-- source  accuracy.md section 6
select
    wanted_cells.statistic_number,
    wanted_cells.bin_start,
    wanted_cells.bin_end,
    cast(sum(wanted_cells.noisy_count) as bigint) as noisy_count
from wanted_cells
where wanted_cells.bin_start is not null
group by wanted_cells.statistic_number, wanted_cells.bin_start, wanted_cells.bin_end
