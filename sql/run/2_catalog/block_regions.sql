-- block_regions: the region of every region type that each block lies in.
--
-- zone    public
-- reads   blocks  one row per block of the parts that are run
-- writes  one row per block
--           block_key           bigint   key of blocks
--           {{ region_types }}  varchar  one column per region type: the id of its region, NULL for none
-- params  {{ region_types }}  name, id expression, none id and part of each tabulated region type
-- seconds 2
-- source  tabulation.md section 3
-- why     Regions come from the public geography, never from where people are: a region with nobody in it is
--         tabulated like any other.
select
    blocks.block_key
    {%- for region_type in region_types %},
    case
        when blocks.part_name = {{ region_type.part | literal }}
            then nullif(cast({{ region_type.id }} as varchar), {{ region_type.no_region | literal }})
    end as "{{ region_type.name }}"
    {%- endfor %}
from blocks
