-- the_only: the value that all rows of a group have; NULL where they differ, or where one has none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the value of a row
-- source  tabulation.md section 3
create or replace temporary macro the_only(given) as
case when count(distinct given) = 1 and count(given) = count(*) then min(given) end
