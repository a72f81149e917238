-- as_whole_number: a whole number from a column that is stored as one; NULL beyond 32 bits.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given  bigint  the number, of any width; or a column of nothing
-- source  tabulation.md section 2.1
create or replace temporary macro as_whole_number(given) as
try_cast(given as integer)
