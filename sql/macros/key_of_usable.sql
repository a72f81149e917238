-- key_of_usable: the key of a record's place, or NULL where one of the conditions of its use does not hold.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  conditions  boolean[]  each true, or the record is left out
--         key         varchar    the key; a number, where that is what keys are
-- source  tabulation.md section 2.1
create or replace temporary macro key_of_usable(conditions, key) as
case when list_bool_and(conditions) then key end
