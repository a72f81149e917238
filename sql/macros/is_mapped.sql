-- is_mapped: whether a value counts as another one than it is by itself.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  counted  any  what it counts as; NULL where it cannot be counted
--         plain    any  what it is by itself; NULL where it is nothing that counts
-- source  tabulation.md section 2.1
create or replace temporary macro is_mapped(counted, plain) as
counted is not null and counted is distinct from plain
