-- is_code_or_none: whether an answer is a code of the list, or none at all.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given   varchar    the answer as text
--         number  usmallint  the number of the code in the list; NULL for an answer that the list lacks
-- source  tabulation.md section 2.1
create or replace temporary macro is_code_or_none(given, number) as
given is null or number is not null
