-- level_sizes: how many population groups each level has, and the first group number of each level.
--
-- zone    public
-- reads   levels            one row per population group level
--         regions           one row per region
--         level_iterations  one row per population group level and iteration it tabulates
-- writes  one row per population group level
--           level_id                   integer  key of levels
--           regions                    bigint   regions of its region type
--           iterations                 bigint   iterations it tabulates
--           first_population_group_id  bigint   id of its first population group
-- source  tabulation.md section 1 (a population group is a region and a characteristic iteration)
-- why     Population groups are numbered, not listed: group id = first id + region position x iterations
--         + iteration position. The nation has a quarter of a billion of them, nearly all empty.
with sized_levels as (
    -- one row per population group level
    select
        levels.level_id,
        (select count(*) from regions where regions.region_type = levels.region_type) as regions,
        (select count(*) from level_iterations where level_iterations.level_id = levels.level_id) as iterations
    from levels
)

select
    sized_levels.level_id,
    sized_levels.regions,
    sized_levels.iterations,
    cast(
        coalesce(
            sum(sized_levels.regions * sized_levels.iterations) over (
                order by sized_levels.level_id rows between unbounded preceding and 1 preceding
            ),
            0
        ) as bigint
    ) as first_population_group_id
from sized_levels
