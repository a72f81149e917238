-- is_none_or_with: whether there is no answer, or something beside it that has to be there.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given  varchar  the answer as text
--         other  any      its number in the list, which may lack it; or the answer in the column before
-- source  tabulation.md section 2.1
create or replace temporary macro is_none_or_with(given, other) as
given is null or other is not null
