-- region_names_differ: regions with two names.
--
-- zone    public
-- reads   geography_names  one row per region, of the region types with a name, that some place names
-- where   {geography}
-- problem {n} region(s) to whose places the geography gives different names
-- fix     give all places of a region one name, or correct `name` or `id` of its region type in {parameters}
-- source  tabulation.md section 8
select
    geography_names.region_type,
    geography_names.region_id,
    geography_names.region_name,
    geography_names.other_name
from geography_names
where geography_names.region_name <> geography_names.other_name
