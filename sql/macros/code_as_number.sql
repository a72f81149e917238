-- code_as_number: a code of digits as a number; 0 where it is none.
--
-- zone    public
-- kind    macro
-- gives   usmallint
-- params  given  any  the code as the file has it, or its number in a list
-- source  tabulation.md section 2.1
create or replace temporary macro code_as_number(given) as
coalesce(try_cast(given as usmallint), 0)
