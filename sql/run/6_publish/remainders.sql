-- remainders: the noisy sum of the {records} of all groups without a table, of families in which others have one.
--
-- zone    published
-- reads   noisy_remainders      one row per level, parent region and iteration with such a sum
--         levels                one row per population group level
--         regions               one row per region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
-- writes  one row per region type, region that it divides and iteration with such a sum
--           PARENT_TYPE     varchar  name of the type of the region that is divided
--           PARENT_ID       varchar  code of that region
--           REGION_TYPE     varchar  name of the region type that divides it
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           MEMBERS         bigint   how many regions of the type in that region have no table of the iteration
--           COUNT           bigint   noisy sum of the {records} in them, published or not; may be negative
--           VARIANCE        double   of the noise in COUNT, {records} squared
-- source  tabulation.md section 7.2.1
-- why     Written where the parameters say publish_remainders. Tables and this sum together are the whole region.
select
    regions.region_type as PARENT_TYPE,
    regions.region_id as PARENT_ID,
    levels.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    noisy_remainders.members as MEMBERS,
    noisy_remainders.noisy_count as COUNT,
    noisy_remainders.variance as VARIANCE
from noisy_remainders
inner join levels on noisy_remainders.level_id = levels.level_id
inner join regions on noisy_remainders.parent_region_key = regions.region_key
inner join published_iterations
    on
        noisy_remainders.level_id = published_iterations.level_id
        and noisy_remainders.iteration_position = published_iterations.iteration_position
order by regions.region_key, levels.level_id, published_iterations.iteration_id
