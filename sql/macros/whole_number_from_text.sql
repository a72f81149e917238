-- whole_number_from_text: a whole number, 0 or more, from text that spells it; NULL where the text spells none.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given  varchar  the number as it stands in the file
-- source  tabulation.md section 2.1
-- why     A plain cast would round 2.5. Programs that know no missing whole number write 7 as 7.0, or as 7,0 where the
--         decimal sign is a comma; with three zeros it may stand between thousands, and is none.
create or replace temporary macro whole_number_from_text(given) as
try_cast(case when regexp_full_match(given, '[0-9]+([.]0*|,0{1,2})?') then replace(given, ',', '.') end as integer)
