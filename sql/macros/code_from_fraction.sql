-- code_from_fraction: a code of digits from a column of fractions: 12.0 is the code 12; NULL for NaN.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  double   the code as it stands in the file, a double or a decimal
--         width  integer  how many digits such a code has; 0 for a code without leading zeros
-- source  tabulation.md section 2
-- why     A number that is not whole, or too wide, keeps all its digits: the checks then find that no such code exists.
--         From 2^53 on, a double may be several numbers. NaN is told by a pattern, as the engine may compare no text.
create or replace temporary macro code_from_fraction(given, width) as
case
    when given = trunc(given) and abs(given) < 9007199254740992
        then printf('%0' || width || 'd', try_cast(given as bigint))
    when not regexp_full_match(cast(given as varchar), '-?nan') then cast(given as varchar)
end
