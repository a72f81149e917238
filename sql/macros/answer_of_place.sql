-- answer_of_place: the answer of a record in one of its places; in the first one the code of none where there is none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given    varchar[]  the answers in all columns of a question, as text; NULL where a column is empty
--         place    integer    the place of the answer, from 1
--         missing  varchar    the code of a record without an answer
-- source  tabulation.md section 2.1
-- why     Where a code says that there is no answer, it says so beside another answer, too: it and empty columns are
--         passed over, wherever they stand, and the answers move to the first places.
create or replace temporary macro answer_of_place(given, place, missing) as
coalesce(
    list_filter(cast(given as varchar[]), lambda answer: answer <> missing)[place],
    case when place = 1 then missing end
)
