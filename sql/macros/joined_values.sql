-- joined_values: the values of two columns as one key; NULL where one of them is NULL.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  earlier  varchar  the value of the earlier column, or the joined values of all earlier ones
--         later    varchar  the value of the later column
-- source  histograms.md section 1
-- why     Character 31 is ASCII's unit separator; values of a domain that hold it are refused.
create or replace temporary macro joined_values(earlier, later) as
earlier || chr(31) || later
