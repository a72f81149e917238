-- shared_counts: how many independent counts are in both counts of a wanted statistic.
--
-- zone    published
-- reads   wanted_cells  one row per wanted statistic, count in it and atom that the count adds up
-- writes  one row per wanted statistic whose two counts have atoms in common
--           statistic_number  bigint  key of the wanted statistics
--           shared_counts     bigint  independent counts that are in both
-- source  accuracy.md section 5
-- why     Noise that both counts have is no difference between them.
select
    wanted_cells.statistic_number,
    count(*) as shared_counts
from wanted_cells
inner join wanted_cells as other_cells
    on wanted_cells.statistic_number = other_cells.statistic_number and wanted_cells.atom = other_cells.atom
where not wanted_cells.is_other and other_cells.is_other
group by wanted_cells.statistic_number
