-- known_number: a number, or NULL where it stands for a missing one, such as 99 for an unknown age.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given    integer    the number
--         unknown  integer[]  the numbers that stand for a missing one
-- source  tabulation.md section 2.1
create or replace temporary macro known_number(given, unknown) as
case when not list_contains(unknown, given) then given end
