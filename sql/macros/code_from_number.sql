-- code_from_number: a code of the Census Bureau from a column of whole numbers, which lost its leading zeros.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  bigint   the code as it stands in the file
--         width  integer  how many digits such a code has
-- source  tabulation.md section 2.1
-- why     A number that is too wide, or has a sign, stays: no such code is found. `printf` takes three times as long.
create or replace temporary macro code_from_number(given, width) as
repeat('0', width - length(cast(given as varchar))) || cast(given as varchar)
