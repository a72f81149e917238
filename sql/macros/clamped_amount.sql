-- clamped_amount: what a record adds to a sum: its amount, but at least the least and at most the most; NULL for none.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given     integer  the amount
--         smallest  bigint   the least that a record adds
--         largest   bigint   the most that a record adds
-- source  tabulation.md section 5.9
-- why     The functions least and greatest pass NULL over.
create or replace temporary macro clamped_amount(given, smallest, largest) as
case when given is not null then cast(least(greatest(given, smallest), largest) as bigint) end
