-- totals_region_type_unknown: region types of the published totals that the parameters do not know.
--
-- zone    public
-- reads   total_rows  one row per row of the published totals
-- where   {totals}
-- problem {n} region type(s) that the parameters do not have
-- fix     name totals of the same geography, or declare the region type
-- params  $known_region_types  varchar[]  the region types of all parts
-- source  tabulation.md section 5.8
select distinct total_rows.region_type
from total_rows
where not list_contains($known_region_types, total_rows.region_type)
