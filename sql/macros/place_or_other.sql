-- place_or_other: the place of a value in a list of values, from 1; of other and missing values, a place of theirs.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given    varchar    the value as it stands in the file
--         listed   varchar[]  the values
--         other    integer    the place of every other value; NULL for none
--         missing  integer    the place of a missing value, as NULL and empty text; NULL for none
-- source  tabulation.md section 2.1
create or replace temporary macro place_or_other(given, listed, other, missing) as
coalesce(list_position(listed, given), cast(case when coalesce(given, '') = '' then missing else other end as integer))
