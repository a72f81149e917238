-- whole_weight: a weight that is a whole number; NULL for 2.5.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given  decimal(28,9)  the weight
-- source  histograms.md section 2.1
-- why     A plain cast would round 2.5.
create or replace temporary macro whole_weight(given) as
case when given = trunc(given) then cast(given as bigint) end
