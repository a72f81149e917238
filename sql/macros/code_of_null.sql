-- code_of_null: the code of a missing value, where its domain has one; NULL for every other value.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given  varchar  the value
--         code   bigint   the code of NULL in the domain
-- source  histograms.md section 1
create or replace temporary macro code_of_null(given, code) as
case when given is null then cast(code as bigint) end
