-- number_or_null: a fraction by which records are ordered; what is no number becomes NULL.
--
-- zone    public
-- kind    macro
-- gives   double
-- params  given  any  the fraction as it is stored
-- source  tabulation.md section 4.4
create or replace temporary macro number_or_null(given) as
nullif(cast(given as double), cast('nan' as double))
