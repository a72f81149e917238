-- levels: the population group levels of the run, in the order of the parameters.
--
-- zone    public
-- writes  one row per population group level
--           level_id         integer  1, 2, ...
--           level_name       varchar  such as COUNTY-2: what parameters and manifests call it
--           region_type      varchar  USA, STATE, COUNTY, ...
--           iteration_level  varchar  of the 2020 Census: 1 regional, 2 detailed
--           excluded_flag    varchar  the flag of the iterations that it does not tabulate; empty for none
-- params  $level_names             varchar[]  name of each level with a budget above zero
--         $level_region_types      varchar[]  region type of each, in the same order
--         $level_iteration_levels  varchar[]  iteration level of each
--         $level_without           varchar[]  the flag of each
-- source  paper section 2; tabulation.md section 1
with listed_levels as (
    select
        unnest(range(1, len($level_region_types) + 1)) as level_id,
        unnest(cast($level_names as varchar[])) as level_name,
        unnest(cast($level_region_types as varchar[])) as region_type,
        unnest(cast($level_iteration_levels as varchar[])) as iteration_level,
        unnest(cast($level_without as varchar[])) as excluded_flag
)

select
    cast(listed_levels.level_id as integer) as level_id,
    cast(listed_levels.level_name as varchar) as level_name,
    cast(listed_levels.region_type as varchar) as region_type,
    cast(listed_levels.iteration_level as varchar) as iteration_level,
    cast(listed_levels.excluded_flag as varchar) as excluded_flag
from listed_levels
