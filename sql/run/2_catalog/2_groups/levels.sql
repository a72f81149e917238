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
select
    unnest(cast(range(1, len($level_region_types) + 1) as integer[])) as level_id,
    unnest(cast($level_names as varchar[])) as level_name,
    unnest(cast($level_region_types as varchar[])) as region_type,
    unnest(cast($level_iteration_levels as varchar[])) as iteration_level,
    unnest(cast($level_without as varchar[])) as excluded_flag
