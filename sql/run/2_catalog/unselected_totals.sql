-- unselected_totals: the published totals that no ladder tabulates.
--
-- zone    public
-- reads   total_rows       one row per row of the published totals
--         selected_groups  one row per ladder and listed population group that it tabulates
--         levels           one row per population group level
--         regions          one row per region
-- writes  one row per published total that picks no table
--           region_type        varchar  USA, STATE, COUNTY, ...
--           region_id          varchar  e.g. 44007 for a county
--           iteration_code     varchar  characteristic iteration, 4 digits
--           is_unknown_region  boolean  whether its region type is tabulated, and the geography lacks the region
-- source  tabulation.md section 5.8
-- why     Other parts, levels without a budget and iterations that a level does not tabulate are left out, as the
--         parameters say. A region that the geography lacks may be a mistake.
select
    total_rows.region_type,
    total_rows.region_id,
    total_rows.iteration_code,
    exists (select 1 from levels where levels.region_type = total_rows.region_type)
    and not exists (
        select 1
        from regions
        where regions.region_type = total_rows.region_type and regions.region_id = total_rows.region_id
    ) as is_unknown_region
from total_rows
anti join selected_groups
    on
        total_rows.region_type = selected_groups.region_type
        and total_rows.region_id = selected_groups.region_id
        and total_rows.iteration_code = selected_groups.iteration_code
