-- unmeasured_counts: published counts whose exact count is not known.
--
-- zone    confidential
-- kind    slices
-- reads   measured_counts   one row per run and measured count
--         evaluated_groups  one row per tabulated population group with a published count
--         table_floors      one row per population group level
-- writes  one row per run and measured count without an exact count
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
--           is_unknown      boolean  whether there is no such group or cell; else it has so few people that the exact
--                                    tables hold no cell of it
-- source  evaluation.md sections 1.2 and 2
-- why     Any row ends the evaluation.
select
    measured_counts.run,
    measured_counts.region_id,
    measured_counts.region_type,
    measured_counts.iteration_code,
    measured_counts.exact_count is null or measured_counts.stat_level is null as is_unknown
from measured_counts
left join evaluated_groups
    on
        measured_counts.region_id = evaluated_groups.region_id
        and measured_counts.region_type = evaluated_groups.region_type
        and measured_counts.iteration_code = evaluated_groups.iteration_code
left join table_floors on evaluated_groups.population_group_level = table_floors.population_group_level
where
    measured_counts.exact_count is null
    or measured_counts.stat_level is null
    or (measured_counts.stat_level > 0 and evaluated_groups.population_group_size < table_floors.table_floor)
