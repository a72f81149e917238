-- code_numbers: the number of each detailed code, by which it is known from here on.
--
-- zone    public
-- reads   codes  one row per row of the code list
-- writes  one row per code
--           listed_code  varchar    the code
--           code_number  usmallint  the number that its digits spell; or 1, 2, ... in the order of the codes
-- params  $codes_are_numbers  boolean  whether every code is of digits, as in the 2020 Census
-- source  tabulation.md section 2.3
-- why     A number takes less space than a text, and four of them fit into one column of persons. The check
--         codes_too_many refuses lists of more codes than that has room for.
select
    distinct_codes.code as listed_code,
    case
        when $codes_are_numbers then try_cast(distinct_codes.code as usmallint)
        else try_cast(row_number() over (order by distinct_codes.code) as usmallint)
    end as code_number
from (
    -- one row per code
    select distinct codes.code
    from codes
    where codes.code is not null
) as distinct_codes
