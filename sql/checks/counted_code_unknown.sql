-- counted_code_unknown: codes that the parameters let answers count as, and that the code list lacks.
--
-- zone    public
-- each    asked_questions
-- reads   codes  one row per row of the code list, and value of a question
-- where   {parameters} [{table}]
-- problem {n} code(s) that answers count as, and that {listed} does not list
-- fix     add the code to the list, and to the list of members if it belongs to an iteration, as a row of the table of
--         groups does; or name another
-- params  $counted_lists  varchar[]  whose values it must be, or empty for the list that questions share
--         $counted_by     varchar[]  what it says: null, other, or a mapped value
--         $counted_codes  varchar[]  the code
-- source  tabulation.md section 8
with counted as (
    -- one row per code of what the question says
    select
        unnest(cast($counted_lists as varchar[])) as question_name,
        unnest(cast($counted_by as varchar[])) as said,
        unnest(cast($counted_codes as varchar[])) as code
)

select
    counted.said,
    counted.code
from counted
anti join codes on counted.code = codes.code and counted.question_name = codes.question_name
