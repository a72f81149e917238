-- evaluated_groups: every population group with a published count, with its exact size.
--
-- zone    confidential
-- kind    slice
-- reads   released_t1           one row per run and row of t1
--         exact_t1              one row per population group with people; of dense tables, people or not
--         exact_regions         one row per region
--         evaluated_iterations  one row per region type and characteristic iteration of the ladder
--         iterations            one row per characteristic iteration of level 1 or 2
--         ladder_iterations     one row per ladder, population group level and iteration it tabulates
-- writes  one row per tabulated population group with a published count
--           region_id               varchar  e.g. 44007 for a county
--           region_type             varchar  USA, STATE, COUNTY, ...
--           iteration_code          varchar  characteristic iteration, 4 digits
--           population_group_level  varchar  such as COUNTY-2
--           is_detailed_only        boolean  tabulated at nation- and state-like regions only, total only
--           is_coarse_only          boolean  tabulated at sub-state regions only
--           is_total_only           boolean  gets a total and nothing else at this level
--           population_group_size   bigint   persons, exact
--           size_start              bigint   smallest size of its bucket: 0, 1, 10, 100, ..., 100000
-- params  $ladder_id  integer  the ladder
-- source  evaluation.md section 2
-- why     A tabulated group without an exact total has nobody.
with published_groups as (
    -- one row per population group with a published count
    select distinct
        released_t1.REGION_ID as region_id,
        released_t1.REGION_TYPE as region_type,
        released_t1.ITERATION_CODE as iteration_code
    from released_t1
),

sized_groups as (
    -- one row per tabulated population group with a published count
    select
        published_groups.region_id,
        published_groups.region_type,
        published_groups.iteration_code,
        evaluated_iterations.level_id,
        evaluated_iterations.population_group_level,
        coalesce(exact_t1.COUNT, 0) as population_group_size
    from published_groups
    semi join exact_regions
        on
            published_groups.region_type = exact_regions.REGION_TYPE
            and published_groups.region_id = exact_regions.REGION_ID
    inner join evaluated_iterations
        on
            published_groups.region_type = evaluated_iterations.region_type
            and published_groups.iteration_code = evaluated_iterations.iteration_code
    left join exact_t1
        on
            published_groups.region_id = exact_t1.REGION_ID
            and published_groups.region_type = exact_t1.REGION_TYPE
            and published_groups.iteration_code = exact_t1.ITERATION_CODE
)

select
    sized_groups.region_id,
    sized_groups.region_type,
    sized_groups.iteration_code,
    sized_groups.population_group_level,
    coalesce(iterations.flags['DETAILED_ONLY'], false) as is_detailed_only,
    coalesce(iterations.flags['COARSE_ONLY'], false) as is_coarse_only,
    coalesce(ladder_iterations.is_total_only, false) as is_total_only,
    sized_groups.population_group_size,
    size_bucket(sized_groups.population_group_size) as size_start
from sized_groups
inner join iterations on sized_groups.iteration_code = iterations.iteration_code
left join ladder_iterations
    on
        ladder_iterations.ladder_id = $ladder_id
        and sized_groups.level_id = ladder_iterations.level_id
        and iterations.iteration_id = ladder_iterations.iteration_id
