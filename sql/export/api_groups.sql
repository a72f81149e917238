-- api_groups: the published totals under the names of the Census API, region and group alike.
--
-- zone    published
-- reads   t1              one row per population group with a published count
--         exported_index  one row per population group with a published count
-- writes  one row per population group with a published count
--           region_type     varchar  USA, STATE, COUNTY, ...
--           region_id       varchar  e.g. 44007 for a county
--           iteration_code  varchar  characteristic iteration, 4 digits
--           geo_id          varchar  e.g. 0500000US44007: summary level, variant and component, US, region
--           region_name     varchar  name of the region; NULL where no file gives names
--           iteration_name  varchar  name of the iteration
--           noisy_count     bigint   persons, noisy; may be negative
--           moe95           double   half-width of the 95 % margin of error, persons; NULL for sums of counts cut at 0
-- source  tabulation.md section 7 (--format api)
-- why     The identifier of the nation is its prefix alone; the run refuses region types without a summary level.
select
    t1.REGION_TYPE as region_type,
    t1.REGION_ID as region_id,
    t1.ITERATION_CODE as iteration_code,
    case t1.REGION_TYPE
        when 'USA' then '0100000US'
        when 'STATE' then '0400000US' || t1.REGION_ID
        when 'PR-STATE' then '0400000US' || t1.REGION_ID
        when 'COUNTY' then '0500000US' || t1.REGION_ID
        when 'PR-COUNTY' then '0500000US' || t1.REGION_ID
        when 'TRACT' then '1400000US' || t1.REGION_ID
        when 'PR-TRACT' then '1400000US' || t1.REGION_ID
        when 'PLACE' then '1600000US' || t1.REGION_ID
        when 'PR-PLACE' then '1600000US' || t1.REGION_ID
        when 'AIANNH' then '2500000US' || t1.REGION_ID
    end as geo_id,
    exported_index.REGION_NAME as region_name,
    exported_index.ITERATION_NAME as iteration_name,
    t1.COUNT as noisy_count,
    t1.MOE95 as moe95
from t1
inner join exported_index
    on
        t1.REGION_TYPE = exported_index.REGION_TYPE
        and t1.REGION_ID = exported_index.REGION_ID
        and t1.ITERATION_CODE = exported_index.ITERATION_CODE
