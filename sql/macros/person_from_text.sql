-- person_from_text: the id of a person from text; nothing, Null, and a number that a spreadsheet cut, are none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the id as it stands in the file
-- source  tabulation.md section 4.4
-- why     Written as 1.23457E+17, the ids of many persons are one.
create or replace temporary macro person_from_text(given) as
case
    when contains(given, '+') and regexp_full_match(given, '[0-9][.,]?[0-9]*[Ee][+][0-9]+') then null
    else nullif(nullif(given, 'Null'), '')
end
