-- thresholds_reached: how many of the thresholds of a ladder a total reaches.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  thresholds  bigint[]  ascending
--         total       bigint    a published total; NULL reaches none
-- source  tabulation.md section 5.8
-- why     A total equal to a threshold reaches it. A subquery over the list would join each total with each threshold.
create or replace temporary macro thresholds_reached(thresholds, total) as
len(list_filter(thresholds, lambda threshold: threshold <= total))
