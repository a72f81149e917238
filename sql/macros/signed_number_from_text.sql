-- signed_number_from_text: a whole number of 64 bits from text that spells it, sign or not; NULL where it spells none.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given  varchar  the number as text
-- source  histograms.md section 1
create or replace temporary macro signed_number_from_text(given) as
try_cast(case when regexp_full_match(given, '[+-]?[0-9]+([.]0*)?') then given end as bigint)
