-- code_from_number: a code of the Census Bureau from a column of whole numbers, which lost its leading zeros.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  bigint   the code as it stands in the file
--         width  integer  how many digits such a code has
-- source  tabulation.md section 2.1
-- why     A number that is too wide keeps all its digits: the checks then find that there is no such code, nor one with
--         a sign. `printf` would take three times as long, for every person.
create or replace temporary macro code_from_number(given, width) as
repeat('0', width - length(cast(given as varchar))) || cast(given as varchar)
