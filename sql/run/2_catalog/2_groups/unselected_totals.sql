-- unselected_totals: how many published totals of each region no ladder tabulates.
--
-- zone    public
-- reads   total_rows         one row per row of the published totals
--         levels             one row per population group level
--         regions            one row per region
--         iterations         one row per characteristic iteration of level 1 or 2
--         ladder_levels      one row per ladder and population group level
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
-- writes  one row per region with published totals that pick no table
--           region_type        varchar  USA, STATE, COUNTY, ...
--           region_id          varchar  e.g. 44007 for a county
--           is_unknown_region  boolean  whether its region type is tabulated, and the geography lacks the region
--           unselected         bigint   totals
-- source  tabulation.md section 5.8
-- why     Other parts, levels without a budget and iterations that a level does not tabulate are left out, as the
--         parameters say. A region that the geography lacks may be a mistake.
with tabulated_totals as (
    -- one row per region type and iteration that a ladder tabulates
    select distinct
        levels.region_type,
        iterations.iteration_code
    from ladder_iterations
    inner join ladder_levels
        on
            ladder_iterations.ladder_id = ladder_levels.ladder_id
            and ladder_iterations.level_id = ladder_levels.level_id
    inner join levels on ladder_iterations.level_id = levels.level_id
    inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
    where ladder_levels.is_by_totals
)

select
    total_rows.region_type,
    total_rows.region_id,
    regions.region_key is null
    and exists (select 1 from levels where levels.region_type = total_rows.region_type) as is_unknown_region,
    count(*) as unselected
from total_rows
left join regions
    on total_rows.region_type = regions.region_type and total_rows.region_id = regions.region_id
left join tabulated_totals
    on
        total_rows.region_type = tabulated_totals.region_type
        and total_rows.iteration_code = tabulated_totals.iteration_code
where regions.region_key is null or tabulated_totals.region_type is null
group by total_rows.region_type, total_rows.region_id, is_unknown_region
