-- person_finest_cells: how many persons who count once in a group are in each region and iteration, by finest cell.
--
-- zone    confidential
-- kind    slices
-- reads   person_groups  one row per person, region and iteration
-- writes  one row per region, iteration, finest cell with people and bucket
--           region_key       integer    key of regions
--           iteration_id     integer    key of iterations
--           finest_position  usmallint  key of finest_values, such as sex and age
--           exact_count      integer    persons, >= 1
-- source  tabulation.md section 4.4
select
    person_groups.region_key,
    person_groups.iteration_id,
    person_groups.finest_position,
    cast(count(*) as integer) as exact_count
from person_groups
where person_groups.is_counted
group by person_groups.region_key, person_groups.iteration_id, person_groups.finest_position
