-- each_once: what is in a list, once, where it comes first.
--
-- zone    public
-- kind    macro
-- gives   integer[]
-- params  given  integer[]  a few values, and perhaps NULL
-- source  tabulation.md section 4
-- why     For lists this short it takes two thirds of the time of list_distinct.
create or replace temporary macro each_once(given) as
list_filter(given, lambda value, place: list_position(given, value) = place)
