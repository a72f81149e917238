-- sparse_t2: the exact rows with people of the population groups whose cells were counted, level by level.
--
-- zone    confidential
-- kind    slices
-- reads   exact_rows         one row per population group and published row with people
--         ladder_rows        one row per combination of published codes
--         level_sizes        one row per population group level
--         level_regions      one row per population group level and region
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         regions            one row per region
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per population group and row of any statistic with people
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ counted }}  bigint  {records}, exact, >= 1; in a ladder of sums it is called SUM
-- params  {{ ladder_columns }}  name of each published column
--         $ladder_id            integer  the ladder
--         $level_id             integer  key of levels
--         $first_group_id       bigint   id of the first population group of the level
--         $last_group_id        bigint   id of its last population group
--         {{ counted }}  the name of what is counted
-- source  evaluation.md section 1
-- why     The number of each group is turned back into its region and its iteration.
with located_rows as (
    -- one row per population group of the level and published row with people
    select
        exact_rows.population_group_id,
        exact_rows.row_id,
        exact_rows.is_total,
        exact_rows.exact_count,
        (
            (exact_rows.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position
    from exact_rows
    inner join level_sizes on level_sizes.level_id = $level_id
    where exact_rows.population_group_id between $first_group_id and $last_group_id
)

select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    {{ ladder_columns | of("ladder_rows") }},
    {%- for column in counted %}
    located_rows.exact_count as {{ column }}
    {%- endfor %}
from located_rows
inner join ladder_rows on located_rows.row_id = ladder_rows.row_id
inner join ladder_iterations
    on
        ladder_iterations.ladder_id = $ladder_id
        and ladder_iterations.level_id = $level_id
        and located_rows.iteration_position = ladder_iterations.iteration_position
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
inner join level_regions
    on
        level_regions.level_id = $level_id
        and (
            located_rows.population_group_id - located_rows.iteration_position
            = level_regions.first_population_group_id
        )
inner join regions on level_regions.region_key = regions.region_key
where located_rows.is_total or not ladder_iterations.is_total_only
order by located_rows.population_group_id, located_rows.row_id
