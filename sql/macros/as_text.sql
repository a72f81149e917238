-- as_text: a value as text, whatever type it is stored in.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  any  the value: text, a whole number, a boolean, a date; or a column of nothing
-- source  tabulation.md section 2.1
create or replace temporary macro as_text(given) as
cast(given as varchar)
