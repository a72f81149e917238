-- amount_with_decimals: an amount of 0 or more in units of its last decimal that counts; NULL for what is none.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given  varchar  the amount as text, with a point or a comma before its decimals
--         units  integer  how many units are in 1, such as 100
-- source  tabulation.md section 5.9
-- why     Exact: a double would make 2.675 less than it is, and its hundredths 267. Half a unit counts as one.
create or replace temporary macro amount_with_decimals(given, units) as
try_cast(
    round(
        try_cast(
            case when regexp_full_match(given, '[0-9]{1,12}([.,][0-9]*)?') then replace(given, ',', '.') end
            as decimal(28, 9)
        ) * units
    ) as integer
)
