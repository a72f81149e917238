-- level_overlaps: how many "in combination" iterations share a code with one "alone" iteration, in levels by kind.
--
-- zone    public
-- reads   levels       one row per population group level
--         level_codes  one row per factor of a level, iteration of its question and code of the iteration
-- writes  one row per level of alone iterations, where shares divide levels by kind
--           region_type      varchar  USA, STATE, COUNTY, ...
--           iteration_level  varchar  of the 2020 Census: 1 regional, 2 detailed
--           combinations     bigint   the most iterations in combination that share a code with one alone iteration
-- source  tabulation.md section 4.3; accounting.md section 1.1
-- why     Whoever is in an alone iteration has all codes in it, so no code outside these iterations in combination.
with shared_iterations as (
    -- one row per level of alone iterations and alone iteration
    select
        levels.region_type,
        levels.iteration_level,
        count(distinct combination.iteration_id) as combinations
    from levels
    inner join level_codes as alone on levels.level_id = alone.level_id
    left join levels as other_levels
        on
            levels.region_type = other_levels.region_type
            and levels.iteration_level = other_levels.iteration_level
            and other_levels.iteration_kind = 'combination'
    left join level_codes as combination
        on other_levels.level_id = combination.level_id and alone.code = combination.code
    where levels.iteration_kind = 'alone'
    group by levels.region_type, levels.iteration_level, alone.iteration_id
)

select
    shared_iterations.region_type,
    shared_iterations.iteration_level,
    max(shared_iterations.combinations) as combinations
from shared_iterations
group by shared_iterations.region_type, shared_iterations.iteration_level
