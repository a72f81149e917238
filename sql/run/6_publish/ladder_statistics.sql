-- ladder_statistics: the names of the tables of the ladder.
--
-- zone    public
-- writes  one row per stat level
--           stat_level      tinyint  0 a total, 1 the coarsest table, ...
--           statistic_name  varchar  such as age4
--           parts           bigint   parts of a person of which its noisy counts are whole numbers; 1: persons
-- params  $statistic_names  varchar[]  the name of each stat level, from 0
--         $parts_of_counts  bigint[]   the parts of each, in the same order
-- source  tabulation.md sections 5 and 5.10
with numbered_levels as (
    -- one row per stat level
    select unnest(range(len($statistic_names))) as stat_level
)

select
    cast(numbered_levels.stat_level as tinyint) as stat_level,
    cast(list_extract($statistic_names, numbered_levels.stat_level + 1) as varchar) as statistic_name,
    cast(list_extract($parts_of_counts, numbered_levels.stat_level + 1) as bigint) as parts
from numbered_levels
