-- totals_duplicate: population groups that the published totals hold more than once.
--
-- zone    public
-- reads   total_rows  one row per row of the published totals
-- where   {totals}
-- problem {n} population group(s) that stand more than once
-- fix     name one table of totals, of one release
-- source  tabulation.md section 5.8
select
    total_rows.region_type,
    total_rows.region_id,
    total_rows.iteration_code
from total_rows
group by total_rows.region_type, total_rows.region_id, total_rows.iteration_code
having count(*) > 1
