-- area_regions: the region of every region type that each area lies in.
--
-- zone    public
-- reads   geography_areas  one row per part and combination of what tells regions
--         geography_rows   one row per row of the geography files
-- writes  one row per area of the parts that are run, and place of which a record may name some columns alone
--           block_key           bigint[]  as in geography_areas
--           {{ region_types }}  varchar   one column per region type: the id of its region, NULL for none
-- params  {{ region_types }}    name and part of each tabulated region type
--         {{ region_ids }}      the expression of the id of each, NULL where there is none
--         {{ partial_places }}  the key and the columns of a place, where some may be unknown; then there is one part
-- source  tabulation.md section 3 (this file has the regions of a run)
-- why     Regions come from the public geography, never from where people are: a region with nobody in it is
--         tabulated like any other. Who names no place, or not all columns of one, is in the regions that hold every
--         block of which these may be, unless the geography has a row for them.
select
    geography_areas.block_key
    {%- for region_type in region_types %},
    case
        when geography_areas.part_name = {{ region_type.part | literal }}
            then {{ region_ids[region_type.name] }}
    end as {{ region_type.name | quoted }}
    {%- endfor %}
from geography_areas
where geography_areas.part_name <> ''
{%- for place in partial_places %}
union all
select
    [{{ place.key }}] as block_key,
    {{ region_ids | named("the_only") }}
from geography_rows
where geography_rows.part_name <> '' and {{ place.is_named }}
group by {{ place.groups }}
having
    {{ place.key }} not in (
        select unnest(geography_areas.block_key)
        from geography_areas
        where geography_areas.part_name <> ''
    )
{%- endfor %}
