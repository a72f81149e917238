-- levels: the population group levels of the run, in the order of the parameters.
--
-- zone    public
-- writes  one row per population group level
--           level_id         integer  1, 2, ...
--           region_type      varchar  USA, STATE, COUNTY, ...
--           iteration_level  varchar  of the 2020 Census: 1 regional, 2 detailed
--           iteration_kind   varchar  the kind of its iterations; empty where it has all kinds
--           excluded_flag    varchar  the flag of the iterations that it does not tabulate; empty for none
-- params  $level_region_types      varchar[]  region type of each level with a budget above zero
--         $level_iteration_levels  varchar[]  iteration level of each, in the same order
--         $level_kinds             varchar[]  the kind of each, empty for all kinds
--         $level_without           varchar[]  the flag of each
-- source  paper section 2; tabulation.md section 1
with listed_levels as (
    select unnest(
        list_zip(
            range(1, len($level_region_types) + 1),
            $level_region_types,
            $level_iteration_levels,
            $level_kinds,
            $level_without
        )
    ) as level_fields
)

select
    cast(listed_levels.level_fields[1] as integer) as level_id,
    cast(listed_levels.level_fields[2] as varchar) as region_type,
    cast(listed_levels.level_fields[3] as varchar) as iteration_level,
    cast(listed_levels.level_fields[4] as varchar) as iteration_kind,
    cast(listed_levels.level_fields[5] as varchar) as excluded_flag
from listed_levels
