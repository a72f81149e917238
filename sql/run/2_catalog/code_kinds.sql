-- code_kinds: the iterations of each kind of code, at the levels whose answers are few enough to try them all.
--
-- zone    public
-- reads   level_codes  one row per population group level, iteration it tabulates and code of the iteration
-- writes  one row per overlapping level, kind of code and iteration that holds these codes
--           level_id      integer  key of levels
--           code_kind     integer  0, 1, ...; at most 11
--           iteration_id  integer  key of iterations
--           is_alone      boolean  whether the iteration is an alone one, and not an alone-or-in-combination one
-- source  tabulation.md section 4.3
-- why     A level is overlapping where some code is in two alone or two combination iterations. Other levels need no
--         trial: see level_stability. Codes in the same iterations are of one kind: they stand for each other in every
--         answer. Levels with more than twelve kinds have too many answers, and no row here.
with mapped_codes as (
    -- one row per level and code of the question of several columns
    select
        level_codes.level_id,
        list(level_codes.iteration_id order by level_codes.iteration_id) as iteration_ids,
        greatest(
            count(*) filter (where level_codes.iteration_kind = 'alone'),
            count(*) filter (where level_codes.iteration_kind = 'combination')
        ) as iterations
    from level_codes
    where level_codes.iteration_kind in ('alone', 'combination')
    group by level_codes.level_id, level_codes.code
),

tried_levels as (
    -- one row per level whose answers are tried
    select mapped_codes.level_id
    from mapped_codes
    group by mapped_codes.level_id
    having max(mapped_codes.iterations) > 1 and count(distinct mapped_codes.iteration_ids) <= 12
),

numbered_kinds as (
    -- one row per tried level and kind of code
    select
        mapped_codes.level_id,
        mapped_codes.iteration_ids,
        row_number() over (partition by mapped_codes.level_id order by mapped_codes.iteration_ids) - 1 as code_kind
    from mapped_codes
    inner join tried_levels on mapped_codes.level_id = tried_levels.level_id
    group by mapped_codes.level_id, mapped_codes.iteration_ids
),

kind_iterations as (
    -- one row per tried level, kind of code and iteration
    select
        numbered_kinds.level_id,
        numbered_kinds.code_kind,
        unnest(numbered_kinds.iteration_ids) as iteration_id
    from numbered_kinds
)

select distinct
    kind_iterations.level_id,
    cast(kind_iterations.code_kind as integer) as code_kind,
    kind_iterations.iteration_id,
    level_codes.iteration_kind = 'alone' as is_alone
from kind_iterations
inner join level_codes
    on
        kind_iterations.level_id = level_codes.level_id
        and kind_iterations.iteration_id = level_codes.iteration_id
