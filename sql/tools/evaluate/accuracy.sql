-- accuracy: how population groups of each level and size were published, and how accurate their counts are.
--
-- zone    confidential
-- reads   group_shares     one row per population group level, and one per level and size bucket with groups
--         count_coverages  one row per level, one per level and size bucket, and one per level and statistic
-- writes  one row per population group level, and one per level and size bucket with groups
--           population_group_level   varchar  such as COUNTY-2
--           size_bucket              varchar  exact sizes, such as 10-99; NULL for all sizes
--           size_start               bigint   smallest size of the bucket; NULL for all sizes
--           runs                     integer  number of runs
--           population_groups        bigint   tabulated, people or not
--           groups_with_people       bigint   of these, the groups with people
--           share_suppressed         double   share of runs x population groups: no published count
--           share_total_only         double   iterations that get a total and nothing else
--           {{ share_columns }}      double   a published total, a table of the first statistic, of the second, ...
--           relative_error           double   total absolute errors / sizes, of published groups; NULL without people
--           median_relative_error    double   median of total absolute error / size, of published groups with people
--           counts                   bigint   free measured counts
--           coverage                 double   share of these counts within their published MOE95
--           expected_coverage        double   mean chance of these counts to be within it
--           small_counts             bigint   small measured counts
--           small_coverage           double   share of these counts within their published MOE95
--           small_expected_coverage  double   mean chance of these counts to be within it
-- params  $runs                integer  number of runs
--         {{ share_columns }}  name of the share of each stat level, such as share_stat_level_0
-- source  evaluation.md section 2.5 (summaries by population group level and by size bucket)
select
    group_shares.population_group_level,
    case
        when group_shares.size_start = 0 then '0'
        when group_shares.size_start = 100000 then '100000+'
        else cast(group_shares.size_start as varchar) || '-' || cast(group_shares.size_start * 10 - 1 as varchar)
    end as size_bucket,
    group_shares.size_start,
    cast($runs as integer) as runs,
    group_shares.population_groups,
    group_shares.groups_with_people,
    group_shares.share_suppressed,
    group_shares.share_total_only,
    {{ share_columns | of("group_shares") }},
    group_shares.relative_error,
    group_shares.median_relative_error,
    coalesce(count_coverages.counts, 0) as counts,
    count_coverages.coverage,
    count_coverages.expected_coverage,
    coalesce(count_coverages.small_counts, 0) as small_counts,
    count_coverages.small_coverage,
    count_coverages.small_expected_coverage
from group_shares
left join count_coverages
    on
        group_shares.population_group_level = count_coverages.population_group_level
        and group_shares.size_start is not distinct from count_coverages.size_start
        and count_coverages.noise is null
