-- wanted_ages: the counts by age of the groups of which a quantile of age is wanted.
--
-- zone    published
-- reads   wanted_cells  one row per wanted statistic, count in it and published cell that the count adds up
-- writes  one row per wanted statistic and age bin of the table of its group
--           statistic_number  bigint    key of the wanted statistics
--           age_start         smallint  first age of the bin, years
--           age_end           smallint  last age of the bin, years
--           noisy_count       bigint    persons of the sexes that are wanted
-- source  accuracy.md section 6
select
    wanted_cells.statistic_number,
    wanted_cells.age_start,
    wanted_cells.age_end,
    cast(sum(wanted_cells.noisy_count) as bigint) as noisy_count
from wanted_cells
where not wanted_cells.is_other
group by wanted_cells.statistic_number, wanted_cells.age_start, wanted_cells.age_end
