-- codes_too_many: the codes of the code list beyond those that can be numbered.
--
-- zone    public
-- reads   codes  one row per row of the code list, and value of a question
-- where   {codes_list} [{code_column}]
-- problem {n} code(s) more than 65,534
-- fix     give one code to those that are in the same iterations, in the list and in the records
-- source  tabulation.md section 2.3
-- why     Codes are numbered, and persons keeps four numbers in one column, 16 bits each; the last is everybody's.
with numbered_codes as (
    -- one row per code
    select
        codes.code,
        row_number() over (order by codes.code) as number
    from codes
    where codes.code is not null
    group by codes.code
)

select numbered_codes.code
from numbered_codes
where numbered_codes.number > 65534
