-- plausible_tables: every sex-by-age table that a population group with people may plausibly get, level by level.
--
-- zone    confidential
-- kind    slices
-- reads   group_totals      one row per population group with people
--         level_sizes       one row per population group level
--         level_iterations  one row per population group level and iteration it tabulates
-- writes  one row per population group that may get a table, and stat level
--           level_id             integer  key of levels
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- params  $level_id        integer  key of levels
--         $first_group_id  bigint   id of the first population group of the level
--         $last_group_id   bigint   id of its last population group
--         $table_floor     bigint   fewest people with which a group of the level may get a table, persons
-- source  evaluation.md section 1.2
-- why     Of a quarter of a billion groups a few hundred thousand may get a table. Only their cells are counted.
select
    level_sizes.level_id,
    group_totals.population_group_id,
    cast(unnest([1, 2, 3]) as tinyint) as stat_level
from group_totals
inner join level_sizes on level_sizes.level_id = $level_id
inner join level_iterations
    on
        level_sizes.level_id = level_iterations.level_id
        and (group_totals.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        = level_iterations.iteration_position
where
    group_totals.population_group_id between $first_group_id and $last_group_id
    and group_totals.exact_count >= $table_floor
    and not level_iterations.is_total_only
