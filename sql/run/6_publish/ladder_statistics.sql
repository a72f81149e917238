-- ladder_statistics: the names of the tables of the ladder.
--
-- zone    public
-- writes  one row per stat level
--           stat_level      tinyint  0 a total, 1 the coarsest table, ...
--           statistic_name  varchar  such as age4
-- params  $statistic_names  varchar[]  the name of each stat level, from 0
-- source  tabulation.md section 5
select
    unnest(cast(range(len($statistic_names)) as tinyint[])) as stat_level,
    unnest(cast($statistic_names as varchar[])) as statistic_name
