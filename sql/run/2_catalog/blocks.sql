-- blocks: the blocks of the parts that are run, each with a key that is one value.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- writes  one row per block of the parts that are run
--           block_key                bigint   the codes of its place as one number, or as text
--           {{ region_columns }}     varchar  the columns of the geography that tell places, parts and regions
--           part_name                varchar  its part, such as US
-- params  {{ geography_key }}      the expression of the key
--         {{ region_columns }}     name of each column
-- seconds 2
-- source  tabulation.md sections 2.2 and 3 (this file has the regions of a run)
-- why     Persons are joined to blocks on block_key: joining 331 million rows on one number is cheap, joining them on
--         four texts is not. A block is the finest place that a record can name; blocks of no part are left out.
select
    {{ geography_key }} as block_key,
    {%- for column in region_columns %}
    geography_rows.{{ column | quoted }},
    {%- endfor %}
    geography_rows.part_name
from geography_rows
where geography_rows.part_name <> ''
