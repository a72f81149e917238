-- tabled_groups: the names of the groups that have rows in the table of a ladder.
--
-- zone    published
-- reads   exported_index  one row per population group with a published count
-- writes  one row per population group with rows in the table
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           REGION_NAME     varchar  name of the region; NULL where nothing public gives one
--           ITERATION_NAME  varchar  name of the iteration
-- source  tabulation.md section 7.4
-- why     It is never larger than the table, so a join with it goes through the table row by row, in its order.
select
    exported_index.REGION_ID,
    exported_index.REGION_TYPE,
    exported_index.ITERATION_CODE,
    exported_index.REGION_NAME,
    exported_index.ITERATION_NAME
from exported_index
where exported_index.TABLE_ROWS > 0
order by exported_index.REGION_TYPE, exported_index.REGION_ID, exported_index.ITERATION_CODE
