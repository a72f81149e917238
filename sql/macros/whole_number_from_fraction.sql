-- whole_number_from_fraction: a whole number from a column of fractions; NULL for NaN and for 12.5.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given  double  the number as it stands in the file, a double or a decimal
-- source  tabulation.md section 2
-- why     A column of whole numbers with a gap is often stored as fractions. A plain cast would round 12.5.
create or replace temporary macro whole_number_from_fraction(given) as
case when given = trunc(given) then try_cast(given as integer) end
