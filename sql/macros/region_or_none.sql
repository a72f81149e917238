-- region_or_none: the id of a region as text; NULL where the geography says that there is none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  id     any      what the expression of a region type gives
--         no_id  varchar  the id that stands for no region
-- source  tabulation.md section 3
create or replace temporary macro region_or_none(id, no_id) as
nullif(cast(id as varchar), no_id)
