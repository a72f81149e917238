-- region_breadth: which regions are broad.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
--         regions    one row per region
-- writes  one row per region
--           region_key  integer  key of regions
--           is_broad    boolean  whether the nation has at least 20 times as many geo units as regions of this type
-- source  none: the way a region is counted changes the time it takes, never the count
-- why     The regions of a broad type are few and hold many geo units each. Their geo units are added up once, as
--         broad geo units; if each region added up all its geo units itself, counting would take much longer.
select
    regions.region_key,
    count(*) over (partition by regions.region_type) * 20 <= (select count(*) from geo_units) as is_broad
from regions
