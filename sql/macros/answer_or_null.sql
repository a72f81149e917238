-- answer_or_null: the answer in the first column of a question; where no column holds one, the code of none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given    varchar    the answer in the first column as text
--         others   varchar[]  the answers in its other columns
--         missing  varchar    the code of a record without an answer
-- source  tabulation.md section 2.1
-- why     A record with an answer behind an empty column is an error, and stays one.
create or replace temporary macro answer_or_null(given, others, missing) as
case when given is null and list_count(cast(others as varchar[])) = 0 then missing else given end
