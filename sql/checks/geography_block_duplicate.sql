-- geography_block_duplicate: blocks that the geography lists more than once.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- where   {geography} [TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK]
-- problem {n} block(s) listed more than once
-- fix     keep one row for each block: a second row would count its people twice
-- source  tabulation.md section 8
select
    geography_rows.TABBLKST,
    geography_rows.TABBLKCOU,
    geography_rows.TABTRACTCE,
    geography_rows.TABBLK,
    count(*) as times
from geography_rows
group by
    geography_rows.TABBLKST,
    geography_rows.TABBLKCOU,
    geography_rows.TABTRACTCE,
    geography_rows.TABBLK
having count(*) > 1
