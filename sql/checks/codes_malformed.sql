-- codes_malformed: codes of the code list that are missing, or not of the digits that the parameters ask for.
--
-- zone    public
-- reads   codes  one row per row of the code list, and value of a question
-- where   {codes_list} [{code_column}]
-- problem {n} code(s) that are missing, or not of the right digits, or 0000
-- fix     give every digit of each code, but for zeros at its front
-- params  $code_pattern  varchar  what a code may look like
-- source  tabulation.md section 2.3
select codes.code
from codes
where
    codes.question_name = ''
    and not coalesce(regexp_full_match(codes.code, $code_pattern) and codes.code <> '0000', false)
