-- flag_or_text: true or false from text that says so as flags do, such as True or TRUE; other text as it is.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the value as text
-- source  histograms.md section 1
create or replace temporary macro flag_or_text(given) as
coalesce(cast(try_cast(given as boolean) as varchar), given)
