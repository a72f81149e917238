-- ground_truth_t2: the exact rows of every population group that the ladder tabulates.
--
-- zone    confidential
-- reads   exact_rows         one row per population group and published row with people
--         ladder_rows        one row per combination of published codes
--         statistic_cells    one row per stat level and measured cell
--         level_regions      one row per population group level and region
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         regions            one row per region
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per population group and row of any statistic
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ counted }}  bigint  {records}, exact; in a ladder of sums it is called SUM
-- params  {{ ladder_columns }}  name of each published column
--         $ladder_id            integer  the ladder
--         {{ counted }}  the name of what is counted
-- source  evaluation.md section 1
-- why     A row that two statistics share is there once. Groups that never get a table have their total alone. For
--         public or synthetic data only.
select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    {{ ladder_columns | of("ladder_rows") }},
    {%- for column in counted %}
    coalesce(exact_rows.exact_count, 0) as {{ column }}
    {%- endfor %}
from level_regions
inner join regions on level_regions.region_key = regions.region_key
inner join ladder_iterations
    on level_regions.level_id = ladder_iterations.level_id and ladder_iterations.ladder_id = $ladder_id
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
cross join ladder_rows
left join statistic_cells as totals on ladder_rows.row_id = totals.row_id and totals.stat_level = 0
left join exact_rows
    on
        level_regions.first_population_group_id + ladder_iterations.iteration_position
        = exact_rows.population_group_id
        and ladder_rows.row_id = exact_rows.row_id
where not ladder_iterations.is_total_only or totals.row_id is not null
order by regions.region_type, regions.region_id, iterations.iteration_code, ladder_rows.row_id
