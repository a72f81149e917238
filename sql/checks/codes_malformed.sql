-- codes_malformed: codes of the code list that are not four digits.
--
-- zone    public
-- reads   codes  one row per row of the code list
-- where   {codes_list} [RACE_ETH_CODE]
-- problem {n} code(s) not of four digits above 0000
-- fix     give each code in full, leading zeros included
-- source  tabulation.md section 2.3
select codes.code
from codes
where not coalesce(regexp_full_match(codes.code, '[0-9]{4}') and codes.code <> '0000', false)
