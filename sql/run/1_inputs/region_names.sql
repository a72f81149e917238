-- region_names: the names of regions, from a public file of names or else from the geography.
--
-- zone    public
-- reads   geography_names     one row per region, of the region types with a name, that some place names
--         given_region_names  one row per region with a name in the file
-- writes  one row per region with a name
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
--           region_name  varchar  its name
-- source  tabulation.md section 7.2
-- why     A file that names some regions stands over the geography, and leaves the names of all others.
select
    given_region_names.region_type,
    given_region_names.region_id,
    given_region_names.region_name
from given_region_names
union all
select
    geography_names.region_type,
    geography_names.region_id,
    geography_names.region_name
from geography_names
anti join given_region_names
    on
        geography_names.region_type = given_region_names.region_type
        and geography_names.region_id = given_region_names.region_id
