-- totals_count_malformed: published totals that are no whole number.
--
-- zone    public
-- reads   total_rows  one row per row of the published totals
-- where   {totals}
-- problem {n} row(s) whose COUNT is no whole number
-- fix     name the totals as they were released: reconciled ones may be fractions
-- source  tabulation.md section 5.8
select
    total_rows.region_type,
    total_rows.region_id,
    total_rows.iteration_code,
    total_rows.given_count
from total_rows
where total_rows.published_count is null
