-- code_of_digits: a code, or NULL where it is not of so many digits.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the code as text
--         width  integer  how many digits such a code has
-- source  tabulation.md section 2.1
create or replace temporary macro code_of_digits(given, width) as
case when regexp_full_match(given, '[0-9]{' || width || '}') then given end
