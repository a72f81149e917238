-- released_tables: which table of the ladder each population group got in each release.
--
-- zone    confidential
-- kind    slice
-- reads   released_t2        one row per run and row of t2
--         ladder_statistics  one row per stat level
-- writes  one row per run and population group with a table, and not a total alone
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
--           stat_level      tinyint  1 the coarsest table, ...; NULL for a table that the ladder does not have
-- source  evaluation.md section 2.2
select
    released_t2.run,
    released_t2.REGION_ID as region_id,
    released_t2.REGION_TYPE as region_type,
    released_t2.ITERATION_CODE as iteration_code,
    max(ladder_statistics.stat_level) as stat_level
from released_t2
left join ladder_statistics on released_t2.STATISTIC = ladder_statistics.statistic_name
group by released_t2.run, released_t2.REGION_ID, released_t2.REGION_TYPE, released_t2.ITERATION_CODE
having max(ladder_statistics.stat_level) is distinct from 0
