-- as_flag: true or false from a column that is stored as such.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given  boolean  the flag; or a column of nothing
-- source  tabulation.md section 2.3
create or replace temporary macro as_flag(given) as
cast(given as boolean)
