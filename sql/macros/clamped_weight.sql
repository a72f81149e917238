-- clamped_weight: what a record counts: its weight, but at least 0 and at most the maximum.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given    bigint  the weight
--         maximum  bigint  the most that a record may count
-- source  histograms.md section 2.2
create or replace temporary macro clamped_weight(given, maximum) as
least(greatest(given, 0), maximum)
