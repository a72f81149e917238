-- wanted_groups: the population groups that wanted counts are of, and what is known of those without a row.
--
-- zone    published
-- reads   asked_terms    one row per wanted statistic, count in it and group of the count
--         summed_groups  one row per population group with a chosen row
--         group_index    one row per population group with a published count
--         suppressed     one row per region type with suppressed totals and characteristic iteration
-- writes  one row per wanted statistic, count in it and group of the count
--           statistic_number  bigint   key of the wanted statistics
--           is_other          boolean  the count that is divided by, or subtracted
--           region_type       varchar  USA, STATE, COUNTY, ...
--           stat_level        tinyint  table of the group; 0 a total alone; NULL of a group without a row
--           suppressed_up_to  bigint   of a group without a row: the largest noisy total that stays unpublished; NULL
--                                      where no total of its kind is suppressed, or its region has no row at all
--           high95            bigint   of such a group: the most persons that it has, as the release says; else NULL
-- source  accuracy.md section 3; change.md section 2
-- why     A region that no row of the release names may be none of its regions, and nothing is known of it.
with named_regions as (
    -- one row per region with a published count
    select distinct
        group_index.REGION_TYPE as region_type,
        group_index.REGION_ID as region_id
    from group_index
)

select
    asked_terms.statistic_number,
    asked_terms.is_other,
    asked_terms.region_type,
    summed_groups.stat_level,
    suppressed.SUPPRESSED_UP_TO as suppressed_up_to,
    suppressed.HIGH95 as high95
from asked_terms
left join summed_groups
    on
        asked_terms.region_type = summed_groups.REGION_TYPE
        and asked_terms.region_id = summed_groups.REGION_ID
        and asked_terms.iteration_code = summed_groups.ITERATION_CODE
left join named_regions
    on
        asked_terms.region_type = named_regions.region_type
        and asked_terms.region_id = named_regions.region_id
        and summed_groups.stat_level is null
left join suppressed
    on
        named_regions.region_type = suppressed.REGION_TYPE
        and asked_terms.iteration_code = suppressed.ITERATION_CODE
