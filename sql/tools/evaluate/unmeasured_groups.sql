-- unmeasured_groups: measured counts of groups, or of tables, that the ground truth does not have.
--
-- zone    confidential
-- reads   unmeasured_counts  one row per run and measured count without an exact count
-- writes  one row per run and such count
--           run             integer  1, 2, ...
--           region_id       varchar  e.g. 44007 for a county
--           region_type     varchar  USA, STATE, COUNTY, ...
--           iteration_code  varchar  characteristic iteration, 4 digits
-- params  $is_unknown  boolean  true: groups that the ground truth or the code lists lack; false: tables of groups
--                               whose cells the ground truth does not hold
-- source  evaluation.md sections 1.2 and 2
-- why     Any row ends the evaluation. Groups are unknown where the releases and the ground truth belong to different
--         people or parameters; cells that are not held must not be taken for zeros.
select
    unmeasured_counts.run,
    unmeasured_counts.region_id,
    unmeasured_counts.region_type,
    unmeasured_counts.iteration_code
from unmeasured_counts
where unmeasured_counts.is_unknown = $is_unknown
