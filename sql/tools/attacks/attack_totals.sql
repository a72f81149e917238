-- attack_totals: exact totals of population groups, with the sum of their people's record keys.
--
-- zone    confidential
-- reads   attack_atoms      one row per geo unit, iteration and finest cell with people
--         geo_unit_regions  one row per geo unit and region it lies in
--         level_regions     one row per population group level and region
--         level_iterations  one row per population group level and iteration it tabulates
-- writes  one row per population group with people
--           population_group_id  bigint   first id of its region and level + iteration position
--           region_key           integer  key of regions
--           iteration_id         integer  key of iterations
--           exact_count          bigint   persons, >= 1
--           record_keys          hugeint  sum of keys of 32 bits
-- source  evaluation.md section 7.1
with summed_atoms as (
    -- one row per geo unit and iteration with people
    select
        attack_atoms.geo_unit_id,
        attack_atoms.iteration_id,
        sum(attack_atoms.exact_count) as exact_count,
        sum(attack_atoms.record_keys) as record_keys
    from attack_atoms
    group by attack_atoms.geo_unit_id, attack_atoms.iteration_id
)

select
    level_regions.first_population_group_id + level_iterations.iteration_position as population_group_id,
    geo_unit_regions.region_key,
    summed_atoms.iteration_id,
    cast(sum(summed_atoms.exact_count) as bigint) as exact_count,
    sum(summed_atoms.record_keys) as record_keys
from summed_atoms
inner join geo_unit_regions on summed_atoms.geo_unit_id = geo_unit_regions.geo_unit_id
inner join level_regions on geo_unit_regions.region_key = level_regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and summed_atoms.iteration_id = level_iterations.iteration_id
group by
    level_regions.first_population_group_id,
    level_iterations.iteration_position,
    geo_unit_regions.region_key,
    summed_atoms.iteration_id
