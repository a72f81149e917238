-- sex_from_value: the code of a sex from the values that stand for it in the files; NULL for every other value.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given    varchar    the value as it stands in the file
--         males    varchar[]  the values that stand for 1, male
--         females  varchar[]  the values that stand for 2, female
-- source  tabulation.md section 2.1
create or replace temporary macro sex_from_value(given, males, females) as
case when list_contains(males, given) then '1' when list_contains(females, given) then '2' end
