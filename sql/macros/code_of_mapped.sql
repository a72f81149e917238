-- code_of_mapped: the code of the value that a mapped value counts as; NULL for every other value.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given   varchar    the value
--         mapped  varchar[]  the values that count as others
--         codes   bigint[]   the code of what each of them counts as
-- source  histograms.md section 1
create or replace temporary macro code_of_mapped(given, mapped, codes) as
cast(list_extract(codes, list_position(mapped, given)) as bigint)
