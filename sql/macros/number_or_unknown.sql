-- number_or_unknown: the number of an answer in the code list; of an answer that the list lacks, a number of theirs.
--
-- zone    public
-- kind    macro
-- gives   usmallint
-- params  given   varchar    the answer as text
--         number  usmallint  the number of the code in the list; NULL for an answer that the list lacks
--         other   usmallint  the number of the code that counts such answers
-- source  tabulation.md section 2.1
create or replace temporary macro number_or_unknown(given, number, other) as
coalesce(number, case when given is not null then other end)
