-- number_or_other: a number within its range; for other values, and for missing ones, a number of theirs.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given     integer    the number; NULL where the value is none
--         stored    varchar    the value as it stands in the file
--         smallest  integer    of the range
--         largest   integer    of the range
--         unknown   integer[]  the numbers that stand for a missing one
--         other     integer    for every number outside the range, and every text; NULL for none
--         missing   integer    for a missing number; NULL for none
-- source  tabulation.md section 2.1
-- why     Text that spells no number is a value like any other: only NULL, empty text and NaN are missing.
create or replace temporary macro number_or_other(given, stored, smallest, largest, unknown, other, missing) as
cast(
    case
        when given between smallest and largest and not list_contains(unknown, given) then given
        when list_contains(unknown, given) then missing
        when given is null and coalesce(lower(stored), '') in ('', 'nan', '-nan') then missing
        else other
    end as integer
)
