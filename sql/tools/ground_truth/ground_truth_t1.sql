-- ground_truth_t1: the exact totals of every tabulated population group.
--
-- zone    confidential
-- reads   group_totals       one row per population group with people
--         level_regions      one row per population group level and region
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         regions            one row per region
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per population group, people or not
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ counted }}  bigint  {records}, exact; in a ladder of sums it is called SUM
-- params  $ladder_id  integer  the ladder whose totals they are
--         {{ measure }}  column of what the ladder counts or adds up: exact_count, or an amount
--         {{ counted }}  the name of what is counted
-- source  evaluation.md section 1
-- why     It is what t1 would hold without noise and suppression; for public or synthetic data only.
select
    regions.region_id as REGION_ID,
    regions.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    {%- for column in counted %}
    coalesce(group_totals.{{ measure }}, 0) as {{ column }}
    {%- endfor %}
from level_regions
inner join regions on level_regions.region_key = regions.region_key
inner join ladder_iterations
    on level_regions.level_id = ladder_iterations.level_id and ladder_iterations.ladder_id = $ladder_id
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
left join group_totals
    on
        level_regions.first_population_group_id + ladder_iterations.iteration_position
        = group_totals.population_group_id
order by regions.region_type, regions.region_id, iterations.iteration_code
