-- known_value: a value, or another where it is missing, or stands for a missing one, such as 99 for an unknown age.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given      any    the value
--         unknown    any[]  the values that stand for a missing one
--         otherwise  any    what it is then
-- source  tabulation.md section 2.1
create or replace temporary macro known_value(given, unknown, otherwise) as
case when given is null or list_contains(unknown, given) then otherwise else given end
