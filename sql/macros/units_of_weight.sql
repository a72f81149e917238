-- units_of_weight: a decimal from text as the nearest whole number of units; NULL where the text spells no decimal.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given        varchar  the weight as text
--         numerator    bigint   of the unit, a fraction
--         denominator  bigint   of the unit
-- source  histograms.md section 2.1
-- why     Nine decimals are read, in whole numbers throughout: a division of doubles could round a half either way.
create or replace temporary macro units_of_weight(given, numerator, denominator) as
try_cast(
    (
        cast(try_cast(given as decimal(28, 9)) * 1000000000 as hugeint) * 2 * denominator
        + cast(numerator as hugeint) * 1000000000
    ) // (2 * cast(numerator as hugeint) * 1000000000) as bigint
)
