-- is_listed: whether a value is one of a list; a missing value is not.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given   varchar    the value
--         listed  varchar[]  the values that count
-- source  tabulation.md section 2.1
create or replace temporary macro is_listed(given, listed) as
coalesce(list_contains(listed, given), false)
