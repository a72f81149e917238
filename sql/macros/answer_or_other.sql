-- answer_or_other: an answer that is listed, or none; for every other answer, a code of theirs.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given   varchar    the answer as text
--         listed  varchar[]  the codes
--         other   varchar    the code of every other answer
-- source  tabulation.md section 2.1
create or replace temporary macro answer_or_other(given, listed, other) as
case when given is null or list_contains(listed, given) then given else other end
