-- region_breadth: which regions are broad, and which local.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
--         regions    one row per region
-- writes  one row per region
--           region_key  integer  key of regions
--           is_broad    boolean  whether the nation has at least 20 times as many geo units as regions of this type
-- source  none: the way a region is counted changes the time it takes, never the count
-- why     Nation, states, counties and AIANNH areas are few, and nearly all of their population groups that have people
--         get a sex-by-age table: their people are counted by all iterations at once. Tracts and places are many, and
--         few of their groups get a table: only the people of those groups are looked up.
select
    regions.region_key,
    count(*) over (partition by regions.region_type) * 20 <= (select count(*) from geo_units) as is_broad
from regions
