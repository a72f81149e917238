-- answer_from_text: a code of any letters from text; nothing and the word Null mean that there is none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the code as it stands in the file
-- source  tabulation.md section 2.1
create or replace temporary macro answer_from_text(given) as
nullif(nullif(given, 'Null'), '')
