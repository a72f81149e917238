-- unknown_groups: measured counts of population groups that the ground truth or the code lists do not have.
--
-- zone    confidential
-- reads   unmeasured_counts  one row per run and measured count without an exact count
-- writes  one row per run and measured count without an exact count
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
-- source  evaluation.md section 2
-- why     Any row ends the evaluation: the releases and the ground truth then belong to different people or parameters.
select
    unmeasured_counts.run,
    unmeasured_counts.region_id,
    unmeasured_counts.region_type,
    unmeasured_counts.iteration_code
from unmeasured_counts
where unmeasured_counts.is_unknown
