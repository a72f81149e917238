-- level_stability: how many population groups of each level one person can belong to, at the most.
--
-- zone    public
-- reads   levels            one row per population group level
--         level_iterations  one row per population group level and iteration it tabulates
--         code_iterations   one row per code and iteration of level 1 or 2
-- writes  one row per population group level
--           level_id            integer  key of levels
--           widest_alone        bigint   most alone iterations that one code maps to
--           widest_combination  bigint   most alone-or-in-combination iterations that one code maps to
--           widest_single       bigint   most iterations of questions of one column that one answer to each maps to
--           is_nested           boolean  whether the codes of each alone iteration share all combination iterations
--           stability           bigint   s, the most population groups that one person can be in; at least 1
-- params  $codes_read  integer  columns that are read of the question of several columns, 1 to 8
-- source  tabulation.md section 4.3; paper Algorithm 1, line 8
-- why     Somebody with m codes is in at most m x widest_combination combination iterations, and in an alone iteration
--         only if it holds every one of these codes. If all codes of each alone iteration map to the same combination
--         iterations (is_nested), somebody in an alone iteration is in at most widest_alone + widest_combination
--         iterations, and somebody in none in m x widest_combination. Otherwise the bound is the plain sum. It is
--         computed from the code lists alone, never from records.
with level_codes as (
    -- one row per level, iteration it tabulates and code of the iteration
    select
        level_iterations.level_id,
        code_iterations.iteration_kind,
        code_iterations.iteration_id,
        code_iterations.code
    from level_iterations
    inner join code_iterations on level_iterations.iteration_id = code_iterations.iteration_id
),

mapped_codes as (
    -- one row per level, kind and code
    select
        level_codes.level_id,
        level_codes.iteration_kind,
        level_codes.code,
        count(*) as iterations,
        list(level_codes.iteration_id order by level_codes.iteration_id) as iteration_ids
    from level_codes
    group by level_codes.level_id, level_codes.iteration_kind, level_codes.code
),

widest_kinds as (
    -- one row per level and kind
    select
        mapped_codes.level_id,
        mapped_codes.iteration_kind,
        max(mapped_codes.iterations) as iterations
    from mapped_codes
    group by mapped_codes.level_id, mapped_codes.iteration_kind
),

widest_codes as (
    -- one row per level
    select
        levels.level_id,
        coalesce(sum(widest_kinds.iterations) filter (where widest_kinds.iteration_kind = 'alone'), 0)
            as widest_alone,
        coalesce(sum(widest_kinds.iterations) filter (where widest_kinds.iteration_kind = 'combination'), 0)
            as widest_combination,
        coalesce(
            sum(widest_kinds.iterations) filter (where widest_kinds.iteration_kind not in ('alone', 'combination')), 0
        ) as widest_single
    from levels
    left join widest_kinds on levels.level_id = widest_kinds.level_id
    group by levels.level_id
),

split_alone_iterations as (
    -- one row per level and alone iteration whose codes fall in different combination iterations
    select
        level_codes.level_id,
        level_codes.iteration_id
    from level_codes
    left join mapped_codes
        on
            level_codes.level_id = mapped_codes.level_id
            and level_codes.code = mapped_codes.code
            and mapped_codes.iteration_kind = 'combination'
    where level_codes.iteration_kind = 'alone'
    group by level_codes.level_id, level_codes.iteration_id
    having count(distinct coalesce(mapped_codes.iteration_ids, [])) > 1
),

judged_levels as (
    -- one row per level
    select
        widest_codes.level_id,
        widest_codes.widest_alone,
        widest_codes.widest_combination,
        widest_codes.widest_single,
        widest_codes.level_id not in (select split_alone_iterations.level_id from split_alone_iterations) as is_nested
    from widest_codes
)

select
    judged_levels.level_id,
    cast(judged_levels.widest_alone as bigint) as widest_alone,
    cast(judged_levels.widest_combination as bigint) as widest_combination,
    cast(judged_levels.widest_single as bigint) as widest_single,
    judged_levels.is_nested,
    greatest(
        1,
        cast(case
            when judged_levels.is_nested
                then greatest(
                    judged_levels.widest_alone + judged_levels.widest_combination,
                    judged_levels.widest_combination * $codes_read
                )
            else judged_levels.widest_alone + judged_levels.widest_combination * $codes_read
        end + judged_levels.widest_single as bigint)
    ) as stability
from judged_levels
