-- reported_kinds: the population groups of a ladder by level and table.
--
-- zone    published
-- reads   reported_tables  one row per population group of these region types with a published count
-- writes  one row per population group level, table and whether its groups could get one
--           region_type         varchar  such as COUNTY
--           level_name          varchar  such as COUNTY-2; NULL where the index of groups names none
--           is_total_only       boolean  whether the groups could get a total and nothing else
--           statistic           varchar  name of the table, or of a total alone
--           population_groups   bigint   groups with a published count
--           changed_groups      bigint   groups whose total differs from the released total
--           least_total_moe95   double   half-widths of the 95 % margins of error of the totals; NULL where none has
--           median_total_moe95  double   likewise
--           most_total_moe95    double   likewise
--           least_cell_moe95    double   the same for the cells of their tables; of totals where there is no table
--           median_cell_moe95   double   likewise: the median of the groups' widest
--           most_cell_moe95     double   likewise
--           groups_within_10    bigint   groups whose total has a margin of error of at most 10 % of it
--           groups_within_30    bigint   at most 30 %
--           groups_within_100   bigint   at most the total itself
-- source  evaluation.md section 5
-- why     A total without a margin is within the longer side of its interval.
select
    reported_tables.region_type,
    reported_tables.level_name,
    reported_tables.is_total_only,
    reported_tables.statistic,
    count(*) as population_groups,
    count(*) filter (where reported_tables.noisy_count <> reported_tables.released_count) as changed_groups,
    min(reported_tables.total_moe95) as least_total_moe95,
    median(reported_tables.total_moe95) as median_total_moe95,
    max(reported_tables.total_moe95) as most_total_moe95,
    min(reported_tables.least_cell_moe95) as least_cell_moe95,
    median(reported_tables.most_cell_moe95) as median_cell_moe95,
    max(reported_tables.most_cell_moe95) as most_cell_moe95,
    count(*) filter (where 10 * reported_tables.total_reach95 <= reported_tables.noisy_count) as groups_within_10,
    count(*) filter (where 10 * reported_tables.total_reach95 <= 3 * reported_tables.noisy_count) as groups_within_30,
    count(*) filter (where reported_tables.total_reach95 <= reported_tables.noisy_count) as groups_within_100
from reported_tables
group by
    reported_tables.region_type,
    reported_tables.level_name,
    reported_tables.is_total_only,
    reported_tables.statistic
order by
    reported_tables.region_type,
    reported_tables.level_name,
    reported_tables.is_total_only,
    reported_tables.statistic
