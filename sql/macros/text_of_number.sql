-- text_of_number: a value of a column of numbers as text: a whole number in its one spelling, any other text as it is.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given   integer  the whole number; NULL where the value is none
--         stored  varchar  the value as it stands in the file
-- source  tabulation.md section 2.1
create or replace temporary macro text_of_number(given, stored) as
coalesce(cast(given as varchar), stored)
