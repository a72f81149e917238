-- selected_t2: the exact tables of the population groups that published totals list, each of the statistic they pick.
--
-- zone    confidential
-- reads   selected_groups    one row per ladder and listed population group that it tabulates
--         regions            one row per region
--         iterations         one row per characteristic iteration of level 1 or 2
--         statistic_cells    one row per stat level and measured cell
--         statistic_sums     one row per stat level, row that is a sum, and cell in it
--         ladder_statistics  one row per stat level
--         ladder_rows        one row per combination of published codes
--         exact_rows         one row per population group and published row with people
-- writes  one row per listed population group and row of its table, people or not
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group gets
--           {{ ladder_columns }}  varchar  the code of each column; * for all
--           {{ counted }}  bigint  {records}, exact; in a ladder of sums it is called SUM
-- params  {{ ladder_columns }}  name of each published column
--         $ladder_id            integer  the ladder
--         {{ counted }}  the name of what is counted
-- source  evaluation.md section 1
-- why     What a run would publish without noise: which groups there are, and which table each gets, is public.
with statistic_rows as (
    -- one row per stat level and published row
    select
        statistic_cells.stat_level,
        statistic_cells.row_id
    from statistic_cells
    union
    select
        statistic_sums.stat_level,
        statistic_sums.row_id
    from statistic_sums
)

select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    ladder_statistics.statistic_name as STATISTIC,
    {{ ladder_columns | of("ladder_rows") }},
    {%- for column in counted %}
    coalesce(exact_rows.exact_count, 0) as {{ column }}
    {%- endfor %}
from selected_groups
inner join regions on selected_groups.region_key = regions.region_key
inner join iterations on selected_groups.iteration_id = iterations.iteration_id
inner join statistic_rows on selected_groups.stat_level = statistic_rows.stat_level
inner join ladder_statistics on selected_groups.stat_level = ladder_statistics.stat_level
inner join ladder_rows on statistic_rows.row_id = ladder_rows.row_id
left join exact_rows
    on
        selected_groups.population_group_id = exact_rows.population_group_id
        and ladder_rows.row_id = exact_rows.row_id
where selected_groups.ladder_id = $ladder_id
order by
    selected_groups.region_key,
    selected_groups.iteration_id,
    ladder_rows.row_id
