-- answer_if_any: the answer in a column of a question; NULL where it is the code of a record without an answer.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given    varchar  the answer as text
--         missing  varchar  the code of a record without an answer
-- source  tabulation.md section 2.1
-- why     Beside another answer of the same record that code is none; answer_or_null gives it to records with no other.
create or replace temporary macro answer_if_any(given, missing) as
nullif(given, missing)
