-- local_group_cells: exact sex-by-age counts of the local population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   member_answers          one row per person and question
--         local_answers           one row per cell, answer, local population group and stat level
--         statistic_finest_cells  one row per stat level and finest cell
-- writes  one row per local population group, stat level and sex-by-age cell with people
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           cell_position        integer  key of statistic_cells within the stat level
--           exact_count          bigint   persons, >= 1
-- source  paper Algorithm 2, lines 20-31
-- why     Summed by finest cell first: in one join with the bins of every statistic, the engine multiplies one side
--         by all three of them before it meets the other.
with counted_finest_cells as (
    -- one row per local population group, stat level and finest cell with people
    select
        local_answers.population_group_id,
        local_answers.stat_level,
        member_answers.finest_position,
        count(*) as exact_count
    from member_answers
    inner join local_answers
        on
            member_answers.cell_id = local_answers.cell_id
            and member_answers.answer_id = local_answers.answer_id
    group by
        local_answers.population_group_id,
        local_answers.stat_level,
        member_answers.finest_position
)

select
    counted_finest_cells.population_group_id,
    counted_finest_cells.stat_level,
    statistic_finest_cells.cell_position,
    cast(sum(counted_finest_cells.exact_count) as bigint) as exact_count
from counted_finest_cells
inner join statistic_finest_cells
    on
        counted_finest_cells.stat_level = statistic_finest_cells.stat_level
        and counted_finest_cells.finest_position = statistic_finest_cells.finest_position
group by
    counted_finest_cells.population_group_id,
    counted_finest_cells.stat_level,
    statistic_finest_cells.cell_position
