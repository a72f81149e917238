-- codes_duplicate: codes that the code list holds more than once.
--
-- zone    public
-- reads   codes  one row per row of the code list, and value of a question
-- where   {codes_list} [{code_column}]
-- problem {n} code(s) listed more than once
-- fix     keep one row for each code
-- source  tabulation.md section 2.3
select
    codes.code,
    count(*) as times
from codes
where codes.code is not null
group by codes.question_name, codes.code
having count(*) > 1
