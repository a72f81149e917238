-- known_value: a value, or another where it is missing, or means none: 9999 for an unknown town, 99 for an age.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given      varchar    the text; of attributes of numbers, the number
--         unknown    varchar[]  those that mean none
--         otherwise  varchar    what counts then
-- source  tabulation.md section 2.2
create or replace temporary macro known_value(given, unknown, otherwise) as
case when given is null or list_contains(unknown, given) then otherwise else given end
