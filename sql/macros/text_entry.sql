-- text_entry: a text in quotation marks, as files of other programs write it; signs that break lines become blanks.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  value      varchar  the text
--         mark       varchar  what stands in it for a quotation mark
--         backslash  varchar  what stands in it for a backslash
-- source  tabulation.md section 7.4
create or replace temporary macro text_entry(value, mark, backslash) as
'"'
|| replace(replace(regexp_replace(value, '[\x00-\x1f\x7f-\x9f\x{2028}\x{2029}]', ' ', 'g'), '\', backslash), '"', mark)
|| '"'
