-- code_in_range: the code of a number in a domain that is a range: 0 for the first; NULL outside the range.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  number   bigint  the number
--         lowest   bigint  the first number of the range
--         highest  bigint  the last
-- source  histograms.md section 1
create or replace temporary macro code_in_range(number, lowest, highest) as
case when number between lowest and highest then number - lowest end
