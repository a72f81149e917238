-- ladder_statistics: the names of the tables of the ladder.
--
-- zone    public
-- writes  one row per stat level
--           stat_level      tinyint  0 a total, 1 the coarsest table, ...
--           statistic_name  varchar  such as age4
-- params  $statistic_names  varchar[]  the name of each stat level, from 0
-- source  tabulation.md section 5
with numbered_levels as (
    -- one row per stat level
    select unnest(range(len($statistic_names))) as stat_level
)

select
    cast(numbered_levels.stat_level as tinyint) as stat_level,
    cast(list_extract($statistic_names, numbered_levels.stat_level + 1) as varchar) as statistic_name
from numbered_levels
