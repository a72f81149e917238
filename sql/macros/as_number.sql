-- as_number: a whole number, or NULL where the value spells none.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given  any  the value: text, or a whole number
-- source  histograms.md section 5.1
create or replace temporary macro as_number(given) as
try_cast(given as integer)
