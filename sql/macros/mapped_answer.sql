-- mapped_answer: the code that an answer counts as: of a mapped one, the code that is said; of any other, itself.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given   varchar    the answer as text
--         mapped  varchar[]  the answers that count as others
--         codes   varchar[]  what each of them counts as
-- source  tabulation.md section 2.1
create or replace temporary macro mapped_answer(given, mapped, codes) as
coalesce(list_extract(codes, list_position(mapped, given)), given)
