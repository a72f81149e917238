-- code_numbers: the number of each detailed code, by which it is known from here on.
--
-- zone    public
-- reads   codes  one row per row of the code list, and value of a question
-- writes  one row per code of the list, and value of a question
--           question_name  varchar    the question whose values these are; empty for the list that questions share
--           listed_code    varchar    the code
--           code_number    usmallint  the number that its digits spell; or 1, 2, ... in the order of the codes
-- params  $codes_are_numbers  boolean  whether every code is of digits, as in the 2020 Census
--         $everybodys_number  integer  number of the code of everybody
-- source  tabulation.md section 2.3
-- why     A number takes less space than a text, and four of them fit into one column of persons. The check
--         codes_too_many refuses lists of more codes than that has room for.
select distinct
    codes.question_name,
    codes.code as listed_code,
    case
        when codes.question_name = 'everybody' then cast($everybodys_number as usmallint)
        when $codes_are_numbers then try_cast(codes.code as usmallint)
        else try_cast(dense_rank() over (order by codes.code) as usmallint)
    end as code_number
from codes
where codes.code is not null
