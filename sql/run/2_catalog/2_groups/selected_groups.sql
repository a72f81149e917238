-- selected_groups: the population groups that published totals list, and the table of each ladder that they pick.
--
-- zone    public
-- reads   total_rows         one row per row of the published totals
--         regions            one row per region
--         iterations         one row per characteristic iteration of level 1 or 2
--         level_regions      one row per population group level and region
--         ladder_levels      one row per ladder and population group level
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
-- writes  one row per ladder and listed population group that it tabulates
--           ladder_id            integer  key of ladder_levels
--           level_id             integer  key of levels
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  0 a total, 1 the coarsest table, ...: thresholds that the total reaches
--           region_key           integer  key of regions
--           iteration_id         integer  key of iterations
-- source  tabulation.md section 5.8
-- why     A total equal to a threshold moves up. A listed group gets its table even where nobody is; another none.
select
    ladder_iterations.ladder_id,
    ladder_iterations.level_id,
    level_regions.first_population_group_id + ladder_iterations.iteration_position as population_group_id,
    cast(
        case
            when ladder_iterations.is_total_only then 0
            else thresholds_reached(ladder_levels.thresholds, total_rows.published_count)
        end as tinyint
    ) as stat_level,
    regions.region_key,
    iterations.iteration_id
from total_rows
inner join regions
    on total_rows.region_type = regions.region_type and total_rows.region_id = regions.region_id
inner join iterations on total_rows.iteration_code = iterations.iteration_code
inner join level_regions on regions.region_key = level_regions.region_key
inner join ladder_iterations
    on
        level_regions.level_id = ladder_iterations.level_id
        and iterations.iteration_id = ladder_iterations.iteration_id
inner join ladder_levels
    on
        ladder_iterations.ladder_id = ladder_levels.ladder_id
        and ladder_iterations.level_id = ladder_levels.level_id
where ladder_levels.is_by_totals
