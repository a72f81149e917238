-- records_cut: how many persons have more records than are counted, how many records are not, and who has the most.
--
-- zone    confidential
-- reads   kept_records  one row per kept record of these persons
-- writes  one row per run
--           persons  bigint     with more records than are counted
--           records  bigint     that are not counted
--           most     varchar[]  the five ids with the most records, each with how many it has
-- params  $most_records  integer  at most so many records of a person are kept
-- source  tabulation.md section 4.4
-- why     The confidential log tells, and nothing else: an id that many share, such as 0 or unknown, stands out in it.
select
    count(*) as persons,
    cast(coalesce(sum(kept_records.records - $most_records), 0) as bigint) as records,
    max_by(concat(kept_records.person_key, ' has ', kept_records.records), kept_records.records, 5) as most
from kept_records
where
    kept_records.kept_place = 1
    and kept_records.records > $most_records
