-- code_from_text: a code of the Census Bureau from a column of text; the text Null becomes NULL.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the code as it stands in the file
-- source  tabulation.md section 2.1
create or replace temporary macro code_from_text(given) as
nullif(given, 'Null')
