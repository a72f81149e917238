-- reported_table_kinds: the population groups of a ladder of one's own by level and table.
--
-- zone    published
-- reads   reported_tables  one row per population group with a published count
-- writes  one row per population group level, table and whether its groups could get one
--           region_type        varchar  such as COUNTY
--           statistic          varchar  name of the table, or of a total alone
--           level_name         varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only      boolean  whether the groups could get a total and nothing else
--           count_moe95        double   half-width of the 95 % margin of error of one measured count: the median
--           total_moe95        double   the same of the total of such a group; NULL where none is published
--           population_groups  bigint   groups with a published count
--           groups_within_10   bigint   groups whose total has a margin of error of at most 10 % of it
--           groups_within_30   bigint   at most 30 %
--           groups_within_100  bigint   at most the total itself
-- source  evaluation.md section 5
select
    reported_tables.region_type,
    reported_tables.statistic,
    reported_tables.level_name,
    reported_tables.is_total_only,
    quantile_disc(reported_tables.count_moe95, 0.5) as count_moe95,
    quantile_disc(reported_tables.total_moe95, 0.5) as total_moe95,
    count(*) as population_groups,
    count(*) filter (where 10 * reported_tables.total_reach95 <= reported_tables.noisy_count) as groups_within_10,
    count(*) filter (where 10 * reported_tables.total_reach95 <= 3 * reported_tables.noisy_count) as groups_within_30,
    count(*) filter (where reported_tables.total_reach95 <= reported_tables.noisy_count) as groups_within_100
from reported_tables
group by
    reported_tables.region_type,
    reported_tables.statistic,
    reported_tables.level_name,
    reported_tables.is_total_only
order by
    reported_tables.region_type,
    reported_tables.statistic,
    reported_tables.level_name,
    reported_tables.is_total_only
