-- code_from_text: a code of digits from text, with the leading zeros that it lost; nothing and Null become NULL.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the code as it stands in the file
--         width  integer  how many digits such a code has
-- source  tabulation.md section 2.1
-- why     Programs write 1 for 0001, and 1.0 where there are gaps. To plan nullif and split_part takes twice as long.
create or replace temporary macro code_from_text(given, width) as
case
    when given = 'Null' or given = '' then null
    when strlen(given) = width and not contains(given, '.') then given
    when regexp_full_match(given, '[0-9]+[.]?0*')
        then repeat('0', width - length(string_split(given, '.')[1])) || string_split(given, '.')[1]
    else given
end
