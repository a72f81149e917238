-- wanted_cells: the independent noisy counts (atoms) that wanted counts add up.
--
-- zone    published
-- reads   asked_terms    one row per wanted statistic, count in it and group of the count
--         asked_cells    one row per condition on attributes, stat level and cell with a wanted value
--         summed_groups  one row per population group with a chosen row
--         summed_rows    one row per row of t1 and of t2 of these groups
-- writes  one row per wanted statistic, count in it and atom that the count adds up
--           statistic_number  bigint    key of the wanted statistics
--           is_other          boolean   the count that is divided by, or subtracted
--           level_name        varchar   such as COUNTY-2; NULL where the index of groups names none
--           is_total_only     boolean   whether the group could get a total and nothing else
--           stat_level        tinyint   table of the group; 0 a total alone
--           atom              bigint    number of the atom
--           noisy_count       bigint    persons
--           variance          double    of the noise in the atom, persons squared
--           moe95             double    half-width of its 95 % margin of error, persons
--           is_whole          boolean   whether the atoms hold the wanted values and no others
--           bin_start         integer   of a quantile: smallest value of its attribute in the cell; else NULL
--           bin_end           integer   largest value in the cell; NULL where bin_start is
--           times             bigint    how often it is added; below 0, subtracted
--           term_number       bigint    key of asked_terms
-- source  accuracy.md section 5
-- why     After `reconcile`, noisy_count is a double. Groups come first: asked_cells has the cells of every stat level.
with term_groups as materialized (
    -- one row per wanted statistic, count in it and group of the count that has a published count
    select
        asked_terms.statistic_number,
        asked_terms.is_other,
        summed_groups.level_name,
        summed_groups.is_total_only,
        asked_terms.condition_number,
        asked_terms.times,
        asked_terms.term_number,
        summed_groups.stat_level,
        summed_groups.first_atom
    from asked_terms
    inner join summed_groups
        on
            asked_terms.region_type = summed_groups.REGION_TYPE
            and asked_terms.region_id = summed_groups.REGION_ID
            and asked_terms.iteration_code = summed_groups.ITERATION_CODE
)

select
    term_groups.statistic_number,
    term_groups.is_other,
    term_groups.level_name,
    term_groups.is_total_only,
    term_groups.stat_level,
    summed_rows.atom,
    summed_rows.COUNT as noisy_count,
    summed_rows.VARIANCE as variance,
    summed_rows.MOE95 as moe95,
    asked_cells.is_whole,
    asked_cells.bin_start,
    asked_cells.bin_end,
    term_groups.times,
    term_groups.term_number
from term_groups
inner join asked_cells
    on
        term_groups.condition_number = asked_cells.condition_number
        and term_groups.stat_level = asked_cells.stat_level
inner join summed_rows on term_groups.first_atom + asked_cells.cell_position = summed_rows.atom
