-- bound_errors: what the bound on the records of a person leaves out of the totals of population groups.
--
-- zone    confidential
-- reads   unbounded_totals  one row per population group with people or records
--         group_totals      one row per population group with people
--         level_sizes       one row per population group level
-- writes  one row per population group level and size bucket with groups, and one per level with groups
--           level_id            integer  key of levels
--           size_start          bigint   smallest size of the bucket, of counts without a bound; NULL for all sizes
--           groups_with_people  bigint   population groups of this size
--           exact               bigint   their people, or records, without a bound
--           counted             bigint   likewise, with the bound
--           squared_bias        double   sum over groups of the square of what the group lacks
-- source  evaluation.md section 2.6
with compared_totals as (
    -- one row per population group with people
    select
        level_sizes.level_id,
        size_bucket(unbounded_totals.exact_count) as size_start,
        unbounded_totals.exact_count as exact,
        coalesce(group_totals.exact_count, 0) as counted
    from unbounded_totals
    inner join level_sizes
        on
            unbounded_totals.population_group_id >= level_sizes.first_population_group_id
            and unbounded_totals.population_group_id
            < level_sizes.first_population_group_id + level_sizes.regions * level_sizes.iterations
    left join group_totals on unbounded_totals.population_group_id = group_totals.population_group_id
)

select
    compared_totals.level_id,
    compared_totals.size_start,
    count(*) as groups_with_people,
    cast(sum(compared_totals.exact) as bigint) as exact,
    cast(sum(compared_totals.counted) as bigint) as counted,
    sum(pow(compared_totals.exact - compared_totals.counted, 2)) as squared_bias
from compared_totals
group by grouping sets ((compared_totals.level_id, compared_totals.size_start), (compared_totals.level_id))
