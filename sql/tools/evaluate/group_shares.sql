-- group_shares: how population groups were published, by level, and by level and size.
--
-- zone    confidential
-- reads   group_sizes   one row per population group level and size bucket with groups
--         group_errors  one row per run and population group with a published count
-- writes  one row per population group level, and one per level and size bucket with groups
--           population_group_level  varchar  such as COUNTY-2
--           size_start              bigint   smallest size of the bucket; NULL for all sizes
--           population_groups       bigint   tabulated, people or not
--           groups_with_people      bigint   of these, the groups with people
--           share_suppressed        double   share of runs x population groups: no published count
--           share_total_only        double   iterations that get a total and nothing else
--           {{ share_columns }}  double  a published total, a table of the first statistic, of the second, ...
--           relative_error          double   total absolute errors / sizes, of published groups; NULL without people
--           median_relative_error   double   median of total absolute error / size, of published groups with people
-- params  $runs                integer  number of runs
--         {{ share_columns }}  name of the share of each stat level, such as share_stat_level_0
-- source  evaluation.md section 2.5 (share of groups at each stat level, share suppressed, relative error)
with sizes as (
    -- one row per population group level, and one per level and size bucket with groups
    select
        group_sizes.population_group_level,
        group_sizes.size_start,
        cast(sum(group_sizes.population_groups) as bigint) as population_groups,
        cast(
            coalesce(sum(group_sizes.population_groups) filter (where group_sizes.size_start > 0), 0) as bigint
        ) as groups_with_people
    from group_sizes
    group by grouping sets (
        (group_sizes.population_group_level),
        (group_sizes.population_group_level, group_sizes.size_start)
    )
),

outcomes as (
    -- one row per population group level, and one per level and size bucket with published counts
    select
        group_errors.POPULATION_GROUP_LEVEL as population_group_level,
        size_bucket(group_errors.POPULATION_GROUP_SIZE) as size_start,
        count(*) as published,
        count(*) filter (where group_errors.TOTAL_ONLY) as total_only,
        {%- for share in share_columns %}
        count(*) filter (
            where group_errors.STAT_LEVEL = {{ share_columns[share] }} and not group_errors.TOTAL_ONLY
        ) as {{ share }},
        {%- endfor %}
        sum(group_errors.TOTAL_ABSOLUTE_ERROR) / nullif(sum(group_errors.POPULATION_GROUP_SIZE), 0)
            as relative_error,
        median(group_errors.TOTAL_ABSOLUTE_ERROR / nullif(group_errors.POPULATION_GROUP_SIZE, 0))
            as median_relative_error
    from group_errors
    group by grouping sets (
        (group_errors.POPULATION_GROUP_LEVEL),
        (group_errors.POPULATION_GROUP_LEVEL, size_bucket(group_errors.POPULATION_GROUP_SIZE))
    )
)

select
    sizes.population_group_level,
    sizes.size_start,
    sizes.population_groups,
    sizes.groups_with_people,
    1 - coalesce(outcomes.published, 0) / (sizes.population_groups * $runs) as share_suppressed,
    coalesce(outcomes.total_only, 0) / (sizes.population_groups * $runs) as share_total_only,
    {%- for share in share_columns %}
    coalesce(outcomes.{{ share }}, 0) / (sizes.population_groups * $runs) as {{ share }},
    {%- endfor %}
    outcomes.relative_error,
    outcomes.median_relative_error
from sizes
left join outcomes
    on
        sizes.population_group_level = outcomes.population_group_level
        and sizes.size_start is not distinct from outcomes.size_start
