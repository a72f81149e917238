-- is_null_beside: whether the code of a record without an answer stands beside another code.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given    varchar[]  the answers in all columns of a question, as text; NULL where a column is empty
--         missing  varchar    the code of a record without an answer
-- source  tabulation.md section 2.1
create or replace temporary macro is_null_beside(given, missing) as
list_contains(cast(given as varchar[]), missing)
and len(list_filter(cast(given as varchar[]), lambda answer: answer <> missing)) > 0
