-- tables_below_floor: released sex-by-age tables of groups whose cells the ground truth does not hold.
--
-- zone    confidential
-- reads   unmeasured_counts  one row per run and measured count without an exact count
-- writes  one row per run and cell of such a table
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
-- source  evaluation.md section 1.2
-- why     Any row ends the evaluation: such cells must not be taken for zeros.
select
    unmeasured_counts.run,
    unmeasured_counts.region_id,
    unmeasured_counts.region_type,
    unmeasured_counts.iteration_code
from unmeasured_counts
where not unmeasured_counts.is_unknown
