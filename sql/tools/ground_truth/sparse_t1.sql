-- sparse_t1: the exact totals of the population groups with people, level by level.
--
-- zone    confidential
-- kind    slices
-- reads   group_totals       one row per population group with people
--         level_sizes        one row per population group level
--         level_regions      one row per population group level and region
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         regions            one row per region
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per population group with people
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ counted }}  bigint  {records}, exact, >= 1; in a ladder of sums it is called SUM
-- params  $ladder_id       integer  the ladder whose totals they are
--         $level_id        integer  key of levels
--         $first_group_id  bigint   id of the first population group of the level
--         $last_group_id   bigint   id of its last population group
--         {{ measure }}  column of what the ladder counts or adds up: exact_count, or an amount
--         {{ counted }}  the name of what is counted
-- source  evaluation.md section 1
-- why     The number of each group is turned back into its region and its iteration. A nation has a quarter of a
--         billion groups; tabulated_regions and tabulated_iterations tell which; those without a row here have nobody.
with located_totals as (
    -- one row per population group of the level with people
    select
        group_totals.population_group_id,
        group_totals.{{ measure }} as exact_count,
        (
            (group_totals.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position
    from group_totals
    inner join level_sizes on level_sizes.level_id = $level_id
    where group_totals.population_group_id between $first_group_id and $last_group_id
)

select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    {%- for column in counted %}
    located_totals.exact_count as {{ column }}
    {%- endfor %}
from located_totals
inner join ladder_iterations
    on
        ladder_iterations.ladder_id = $ladder_id
        and ladder_iterations.level_id = $level_id
        and located_totals.iteration_position = ladder_iterations.iteration_position
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
inner join level_regions
    on
        level_regions.level_id = $level_id
        and (
            located_totals.population_group_id - located_totals.iteration_position
            = level_regions.first_population_group_id
        )
inner join regions on level_regions.region_key = regions.region_key
order by located_totals.population_group_id
