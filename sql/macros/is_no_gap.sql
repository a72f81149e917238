-- is_no_gap: whether an answer follows the one in the column before it, and not an empty column.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  earlier  varchar  the answer in the column before
--         later    varchar  the answer
-- source  tabulation.md section 2.1
create or replace temporary macro is_no_gap(earlier, later) as
earlier is not null or later is null
