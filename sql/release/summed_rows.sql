-- summed_rows: the rows of the groups of a sum, and which independent noisy count (atom) each is, if any.
--
-- zone    published
-- reads   published_rows   one row per row of t1 and of t2
--         summed_groups    one row per population group with a chosen row
--         ladder_rows      one row per combination of published codes
--         statistic_cells  one row per stat level and measured cell
-- writes  one row per row of t1 and of t2 of these groups
--           TABLE           varchar  the ladder, such as T2, or its folder of totals, such as T1
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got; NULL in totals that stand apart
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ other_columns }}   varchar  NULL: columns of other ladders alone
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           stat_level      tinyint  table of the group
--           level_name      varchar  such as COUNTY-2
--           is_total_only   boolean  whether the group could get a total and nothing else
--           row_id          integer  key of ladder_rows; -1 in totals that stand apart
--           first_atom      bigint   number of the first atom of the group
--           atom            bigint   number of the atom that COUNT is; NULL where it is a sum of atoms
-- params  {{ ladder_columns }}  name of each published column of the ladder
--         {{ other_columns }}   name of each that other ladders alone have
-- source  tabulation.md section 6.3; accounting.md section 4
-- why     A cell has noise of its own, and so has the total of a group without a table; every other count is a sum of
--         such counts, which statistic_sums lists. Rows of one group bind no other group, so the groups that are asked
--         for suffice. In a folder that `reconcile` made, COUNT is a double, and its atoms add up to the other counts
--         but are not independent.
select
    published_rows."TABLE",
    published_rows.REGION_ID,
    published_rows.REGION_TYPE,
    published_rows.ITERATION_CODE,
    published_rows.STATISTIC,
    {{ ladder_columns | of("published_rows") }},
    {{ other_columns | of("published_rows") }},
    published_rows.COUNT,
    published_rows.VARIANCE,
    published_rows.MOE95,
    summed_groups.stat_level,
    summed_groups.level_name,
    summed_groups.is_total_only,
    coalesce(ladder_rows.row_id, -1) as row_id,
    summed_groups.first_atom,
    case
        when ladder_rows.row_id is not null then summed_groups.first_atom + statistic_cells.cell_position
        when summed_groups.stat_level = 0 then summed_groups.first_atom
    end as atom
from published_rows
inner join summed_groups
    on
        published_rows.REGION_TYPE = summed_groups.REGION_TYPE
        and published_rows.REGION_ID = summed_groups.REGION_ID
        and published_rows.ITERATION_CODE = summed_groups.ITERATION_CODE
left join ladder_rows
    on
        true
        and {{ ladder_columns | equal("published_rows", "ladder_rows") }}
left join statistic_cells
    on summed_groups.stat_level = statistic_cells.stat_level and ladder_rows.row_id = statistic_cells.row_id
