-- code_kinds: the iterations of each kind of code, of the questions whose answers are few enough to try them all.
--
-- zone    public
-- reads   level_codes      one row per factor of a level, iteration of its question and code of the iteration
--         iteration_kinds  one row per kind of iterations
-- writes  one row per overlapping factor, kind of code and iteration that holds these codes
--           factor_id     integer  key of level_factors
--           code_kind     integer  0, 1, ...; at most 11
--           iteration_id  integer  key of iterations
--           is_alone      boolean  whether the iteration is an alone one, and not an alone-or-in-combination one
-- source  tabulation.md section 4.3
-- why     A factor is overlapping where some code is in two alone or two combination iterations. Other factors need
--         no trial: see factor_stability. Codes in the same iterations are of one kind: they stand for each other in
--         every answer. Factors with more than twelve kinds have too many answers, and no row here.
with mapped_codes as (
    -- one row per factor and code of a question of several columns
    select
        level_codes.factor_id,
        list(level_codes.iteration_id order by level_codes.iteration_id) as iteration_ids,
        greatest(
            count(*) filter (where iteration_kinds.is_alone),
            count(*) filter (where not iteration_kinds.is_alone)
        ) as iterations
    from level_codes
    inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind
    where iteration_kinds.is_of_several
    group by level_codes.factor_id, level_codes.code
),

tried_factors as (
    -- one row per factor whose answers are tried
    select mapped_codes.factor_id
    from mapped_codes
    group by mapped_codes.factor_id
    having max(mapped_codes.iterations) > 1 and count(distinct mapped_codes.iteration_ids) <= 12
),

numbered_kinds as (
    -- one row per tried factor and kind of code
    select
        mapped_codes.factor_id,
        mapped_codes.iteration_ids,
        row_number() over (partition by mapped_codes.factor_id order by mapped_codes.iteration_ids) - 1 as code_kind
    from mapped_codes
    inner join tried_factors on mapped_codes.factor_id = tried_factors.factor_id
    group by mapped_codes.factor_id, mapped_codes.iteration_ids
),

kind_iterations as (
    -- one row per tried factor, kind of code and iteration
    select
        numbered_kinds.factor_id,
        numbered_kinds.code_kind,
        unnest(numbered_kinds.iteration_ids) as iteration_id
    from numbered_kinds
)

select distinct
    kind_iterations.factor_id,
    cast(kind_iterations.code_kind as integer) as code_kind,
    kind_iterations.iteration_id,
    iteration_kinds.is_alone
from kind_iterations
inner join level_codes
    on
        kind_iterations.factor_id = level_codes.factor_id
        and kind_iterations.iteration_id = level_codes.iteration_id
inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind
