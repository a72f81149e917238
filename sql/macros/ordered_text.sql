-- ordered_text: text whose order is that of the numbers in it: 9 before 10, 2020-9-1 before 2020-10-1, 9.25 before 9.5.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the text as it stands in the file; nothing and the word Null mean that there is none
-- source  tabulation.md section 4.4
create or replace temporary macro ordered_text(given) as
array_to_string([
    case when part < ':' and part > '/' then repeat('0', 20 - length(part)) else '' end || part
    for part in regexp_extract_all(nullif(nullif(given, 'Null'), ''), '[.]?[0-9]+|[^0-9]+')
], '')
