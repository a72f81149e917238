-- records_cut: how many persons have more records than are counted, and how many records are not.
--
-- zone    confidential
-- reads   kept_records  one row per kept record of these persons
-- writes  one row per run
--           persons  bigint  with more records than are counted
--           records  bigint  that are not counted
-- params  $most_records  integer  at most so many records of a person are kept
-- source  tabulation.md section 4.4
-- why     The confidential log tells, and nothing else.
select
    count(*) as persons,
    cast(coalesce(sum(kept_records.records - $most_records), 0) as bigint) as records
from kept_records
where
    kept_records.kept_place = 1
    and kept_records.records > $most_records
