-- unknown_groups: measured counts of population groups that the ground truth or the code lists do not have.
--
-- zone    confidential
-- reads   measured_counts  one row per run and measured count
-- writes  one row per run and measured count without an exact count
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
-- source  evaluation.md section 2
-- why     Any row ends the evaluation: the releases and the ground truth then belong to different people or parameters.
select
    measured_counts.run,
    measured_counts.region_id,
    measured_counts.region_type,
    measured_counts.iteration_code
from measured_counts
where measured_counts.exact_count is null or measured_counts.stat_level is null
