-- code_in_bin: the code of a bin for the numbers in it; NULL for numbers outside.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  number   bigint  the number
--         lowest   bigint  the first number of the bin
--         highest  bigint  the last
--         code     bigint  the code of the bin
-- source  histograms.md section 1
create or replace temporary macro code_in_bin(number, lowest, highest, code) as
case when number between lowest and highest then cast(code as bigint) end
