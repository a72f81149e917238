-- whole_number_below: the largest whole number that is not above a number of parts.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given  bigint  a number of parts
--         parts  bigint  parts that make a whole, >= 1
-- source  tabulation.md section 5.10
-- why     A division of whole numbers rounds towards 0: of -1 of 2 parts it would make 0, and not -1.
create or replace temporary macro whole_number_below(given, parts) as
(given - ((given % parts) + parts) % parts) // parts
