-- tables_below_floor: released sex-by-age tables of groups whose cells the ground truth does not hold.
--
-- zone    confidential
-- reads   measured_counts   one row per run and measured count
--         evaluated_groups  one row per tabulated population group with a published count
--         table_floors      one row per population group level
-- writes  one row per run and cell of such a table
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
-- source  evaluation.md section 1.2
-- why     Any row ends the evaluation: such cells must not be taken for zeros.
select
    measured_counts.run,
    measured_counts.region_id,
    measured_counts.region_type,
    measured_counts.iteration_code
from measured_counts
inner join evaluated_groups
    on
        measured_counts.region_id = evaluated_groups.region_id
        and measured_counts.region_type = evaluated_groups.region_type
        and measured_counts.iteration_code = evaluated_groups.iteration_code
inner join table_floors on evaluated_groups.population_group_level = table_floors.population_group_level
where measured_counts.stat_level > 0 and evaluated_groups.population_group_size < table_floors.table_floor
