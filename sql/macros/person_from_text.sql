-- person_from_text: the id of a person from text; nothing, Null, and what a spreadsheet cut, as 1.23E+17, are none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the id as it stands in the file
-- source  tabulation.md section 4.4
create or replace temporary macro person_from_text(given) as
nullif(nullif(case when not regexp_full_match(given, '[0-9][0-9.,]*[Ee][+][0-9]+') then given end, 'Null'), '')
