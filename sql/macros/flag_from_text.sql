-- flag_from_text: true or false from a column of text; NULL where the text is Null, or neither.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given  varchar  the flag as it stands in the file
-- source  tabulation.md section 2.3
create or replace temporary macro flag_from_text(given) as
try_cast(nullif(given, 'Null') as boolean)
