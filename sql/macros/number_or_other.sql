-- number_or_other: a number within its range; for numbers outside it, and for missing ones, a number of theirs.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given     integer    the number
--         smallest  integer    of the range
--         largest   integer    of the range
--         unknown   integer[]  the numbers that stand for a missing one
--         other     integer    for every number outside the range; NULL to leave it as it is
--         missing   integer    for a missing number; NULL for none
-- source  tabulation.md section 2.1
create or replace temporary macro number_or_other(given, smallest, largest, unknown, other, missing) as
case
    when given is null or list_contains(unknown, given) then cast(missing as integer)
    when given between smallest and largest then given
    else coalesce(cast(other as integer), given)
end
