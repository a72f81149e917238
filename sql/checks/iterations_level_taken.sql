-- iterations_level_taken: iterations of a list whose level is the level of everybody.
--
-- zone    public
-- reads   iteration_rows   one row per row of a list of iterations
-- where   {iterations} [LEVEL]
-- problem {n} iteration(s) of level ALL, which is the level of everybody
-- fix     take them out, as everybody is an iteration without a list; or give them another LEVEL
-- source  tabulation.md section 4
select
    iteration_rows.iteration_code,
    iteration_rows.iteration_level
from iteration_rows
where
    iteration_rows.iteration_level = 'ALL'
    and iteration_rows.iteration_kind is distinct from 'everybody'
    and exists (
        select 1
        from iteration_rows as other_rows
        where other_rows.iteration_kind = 'everybody'
    )
