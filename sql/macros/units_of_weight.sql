-- units_of_weight: a weight as the nearest whole number of units, at most 10^18 to either side.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given        decimal(28,9)  the weight
--         numerator    bigint         of the unit, a fraction
--         denominator  bigint         of the unit, at most 10^9
-- source  histograms.md section 2.1
-- why     Whole numbers throughout: a division of doubles could round a half either way.
create or replace temporary macro units_of_weight(given, numerator, denominator) as
case
    when given is not null
        then
            cast(
                least(
                    greatest(
                        (
                            cast(given * 1000000000 as hugeint) * 2 * denominator
                            + cast(numerator as hugeint) * 1000000000
                        ) // (2 * cast(numerator as hugeint) * 1000000000),
                        -1000000000000000000
                    ),
                    1000000000000000000
                ) as bigint
            )
end
