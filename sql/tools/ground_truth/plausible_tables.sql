-- plausible_tables: every table that a population group with people may plausibly get, level by level.
--
-- zone    confidential
-- kind    slices
-- reads   group_totals       one row per population group with people
--         level_sizes        one row per population group level
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
-- writes  one row per population group that may get a table, and statistic of the ladder
--           level_id             integer   key of levels
--           population_group_id  bigint    key of the group
--           statistic_id         smallint  key of statistic_finest_cells
-- params  $ladder_id        integer  the ladder
--         $first_statistic  bigint   its first statistic
--         $end_statistic    bigint   the statistic after its last one
--         $level_id         integer  key of levels
--         $first_group_id   bigint   id of the first population group of the level
--         $last_group_id    bigint   id of its last population group
--         $table_floor      bigint   fewest people with which a group of the level may get a table, persons
--         {{ measure }}  column of what picks the table: exact_count, or an amount
-- source  evaluation.md section 1.2
-- why     Of a quarter of a billion groups a few hundred thousand may get a table. Only their cells are counted.
select
    level_sizes.level_id,
    group_totals.population_group_id,
    cast(unnest(range($first_statistic, $end_statistic)) as smallint) as statistic_id
from group_totals
inner join level_sizes on level_sizes.level_id = $level_id
inner join ladder_iterations
    on
        ladder_iterations.ladder_id = $ladder_id
        and level_sizes.level_id = ladder_iterations.level_id
        and (group_totals.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        = ladder_iterations.iteration_position
where
    group_totals.population_group_id between $first_group_id and $last_group_id
    and group_totals.{{ measure }} >= $table_floor
    and not ladder_iterations.is_total_only
