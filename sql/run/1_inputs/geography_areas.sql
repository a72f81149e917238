-- geography_areas: the areas of the geography: places whose rows say the same of parts, regions and their names.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- writes  one row per part and combination of what tells regions
--           {{ area_columns }}  varchar  the columns of the geography that tell regions and their names
--           part_name  varchar   the part, such as US; empty for none
--           block_key  bigint[]  the codes of each place in it as one number, or as text
-- params  {{ geography_key }}  the expression of the key
--         {{ area_columns }}   name of each column
-- seconds 3
-- source  tabulation.md sections 2.2 and 3
-- why     A nation has 8 million blocks in far fewer areas. What follows from these columns is found area by area, and
--         a block is one number in a list: joining 331 million persons on one number is cheap, on four texts it is not.
select
    {{ area_columns | of("geography_rows") }},
    geography_rows.part_name,
    list({{ geography_key }} order by {{ geography_key }}) as block_key
from geography_rows
group by all
