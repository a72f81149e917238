-- place_in_list: the place of a value in a list of values, from 1; NULL for every other value.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given   varchar    the value as it stands in the file
--         listed  varchar[]  the values
-- source  tabulation.md section 2.1
create or replace temporary macro place_in_list(given, listed) as
list_position(listed, given)
