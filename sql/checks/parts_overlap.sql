-- parts_overlap: rows of the geography that lie in two parts.
--
-- zone    public
-- reads   geography_rows   one row per row of the geography files
--         geography_areas  one row per part and combination of what tells regions
-- where   {geography} [{place}]
-- problem {n} row(s) that lie in two of the parts
-- fix     change the `where` of one part: the budgets of parts do not add up, because no record is in two
-- params  {{ block_columns }}  name of each column that names a place
-- source  tabulation.md section 2.2
select
    {{ block_columns | of("geography_rows") }},
    geography_rows.part_name as parts
from geography_rows
semi join geography_areas
    on geography_rows.part_name = geography_areas.part_name and contains(geography_areas.part_name, ', ')
