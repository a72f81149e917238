-- geography_names: the names that the geography gives to regions.
--
-- zone    public
-- reads   geography_areas  one row per part and combination of what tells regions
-- writes  one row per region, of the region types with a name, that some place names
--           region_type  varchar  name of the region type
--           region_id    varchar  id of the region
--           region_name  varchar  its name
--           other_name   varchar  the same, or another that some place of it has: the check region_names_differ
-- params  {{ named_region_types }}  name, region name and part of each tabulated region type with names
--         {{ region_ids }}          the expression of the id of each region type, NULL where there is none
-- source  tabulation.md section 7.2
-- why     Ids and names, few of which differ, are read once.
--         The first of the names in the order of the alphabet, and the last, tell whether there are several.
with distinct_names as materialized (
    -- one row per part and combination of ids and names
    select distinct
        {%- for region_type in named_region_types %}
        {{ region_ids[region_type.name] }} as id_{{ loop.index }},
        nullif({{ region_type.region_name }}, '') as name_{{ loop.index }},
        {%- endfor %}
        geography_areas.part_name
    from geography_areas
)
{% for region_type in named_region_types %}
select
    {{ region_type.name | literal }} as region_type,
    distinct_names.id_{{ loop.index }} as region_id,
    min(distinct_names.name_{{ loop.index }}) as region_name,
    max(distinct_names.name_{{ loop.index }}) as other_name
from distinct_names
where distinct_names.part_name = {{ region_type.part | literal }}
group by 2
having region_id is not null and region_name is not null
union all
{%- endfor %}
select
    cast(null as varchar) as region_type,
    cast(null as varchar) as region_id,
    cast(null as varchar) as region_name,
    cast(null as varchar) as other_name
from distinct_names
where false
