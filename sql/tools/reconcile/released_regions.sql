-- released_regions: the regions that a release has totals of.
--
-- zone    published
-- reads   released_totals  one row per population group with a published count
-- writes  one row per region with a published total
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
-- source  tabulation.md section 7
-- why     Where no total of a region type was suppressed, these are all its regions, with people or not.
select distinct
    released_totals.REGION_TYPE as region_type,
    released_totals.REGION_ID as region_id
from released_totals
