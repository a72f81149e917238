-- reported_table_kinds: the population groups of a ladder of one's own by region type, table and noise.
--
-- zone    published
-- reads   reported_tables  one row per population group with a published count
-- writes  one row per region type, table and variance of one measured count
--           region_type        varchar  such as COUNTY
--           statistic          varchar  name of the table, or of a total alone
--           count_variance     double   of the noise in one measured count
--           count_moe95        double   half-width of its 95 % margin of error
--           total_moe95        double   the same of the total of such a group
--           population_groups  bigint   groups with a published count
--           groups_within_10   bigint   groups whose total has a margin of error of at most 10 % of it
--           groups_within_30   bigint   at most 30 %
--           groups_within_100  bigint   at most the total itself
-- source  evaluation.md section 5
-- why     A published row does not name its population group level; its region type and the variance of its noise do.
select
    reported_tables.region_type,
    reported_tables.statistic,
    reported_tables.count_variance,
    max(reported_tables.count_moe95) as count_moe95,
    max(reported_tables.total_moe95) as total_moe95,
    count(*) as population_groups,
    count(*) filter (where 10 * reported_tables.total_moe95 <= reported_tables.noisy_count) as groups_within_10,
    count(*) filter (where 10 * reported_tables.total_moe95 <= 3 * reported_tables.noisy_count) as groups_within_30,
    count(*) filter (where reported_tables.total_moe95 <= reported_tables.noisy_count) as groups_within_100
from reported_tables
group by reported_tables.region_type, reported_tables.statistic, reported_tables.count_variance
order by reported_tables.region_type, reported_tables.statistic, reported_tables.count_variance
