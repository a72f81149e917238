-- bounded_number: the number that text spells, to nine decimals and at most 10^18 to either side; NULL for no number.
--
-- zone    public
-- kind    macro
-- gives   decimal(28,9)
-- params  given  varchar  the number as text: digits, with a sign, a point or an exponent, or inf
-- source  histograms.md section 2.1
-- why     A number too large for its type is a number: 1e30, 1e400 and inf are 10^18 here, beyond every maximum. The
--         double decides only where the decimal does not hold the number. NaN is told first, and by a pattern.
create or replace temporary macro bounded_number(given) as
cast(
    case
        when regexp_full_match(given, '\s*[+-]?[Nn][Aa][Nn]\s*') then null
        when try_cast(given as decimal(28, 9)) is not null
            then least(greatest(try_cast(given as decimal(28, 9)), -1000000000000000000), 1000000000000000000)
        when try_cast(given as double) >= 1 then 1000000000000000000
        when try_cast(given as double) <= -1 then -1000000000000000000
        when try_cast(given as double) is not null then 0
    end as decimal(28, 9)
)
