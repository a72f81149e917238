-- sdmx_id: a code as SDMX writes codes: letters, digits, _, @ and -; any other sign as $ and its bytes.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  code  varchar  as the tables of a release have it; * stands for all
-- source  tabulation.md section 7.4
-- why     SDMX calls a total _T. Two codes never have one identifier.
create or replace temporary macro sdmx_id(code) as
case code
    when '*' then '_T'
    when '_T' then '$5FT'
    else array_to_string(
        [
            case when regexp_matches(letter, '[A-Za-z0-9_@-]') then letter else '$' || hex(letter) end
            for letter in string_split(code, '')
        ],
        ''
    )
end
