-- reported_region_names: the names that a release gives to the regions of some region types.
--
-- zone    published
-- reads   group_index  one row per population group with a published count
-- writes  one row per region with a name
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
--           region_name  varchar  its name
-- params  $picked_types  varchar[]  the region types
-- source  evaluation.md section 5
-- why     Other published tables hold ids alone. Without names nothing is read but the statistics of the file.
select distinct
    group_index.REGION_TYPE as region_type,
    group_index.REGION_ID as region_id,
    group_index.REGION_NAME as region_name
from group_index
where group_index.REGION_NAME is not null and list_contains($picked_types, group_index.REGION_TYPE)
order by group_index.REGION_TYPE, group_index.REGION_ID
