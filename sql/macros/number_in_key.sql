-- number_in_key: what a code of digits adds to the number that is the key of a place; NULL where it is no number.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given   any     a code of digits, as text or as a number
--         weight  bigint  10 to the power of the digits that stand behind it in the key
-- source  tabulation.md section 2.2
create or replace temporary macro number_in_key(given, weight) as
try_cast(given as bigint) * weight
