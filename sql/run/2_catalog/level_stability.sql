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
--           widest_ethnicity    bigint   most ethnicity iterations that one code maps to
--           is_nested           boolean  whether the codes of each alone iteration share all combination iterations
--           stability           bigint   s, the most population groups that one person can be in; at least 1
-- params  $max_race_codes  integer  race columns that are read, 1 to 8
-- source  tabulation.md section 4.3; paper Algorithm 1, line 8
-- why     A person with m race codes is in at most m x widest_combination combination iterations, and in an alone
--         iteration only if it holds every one of those codes. If all codes of each alone iteration map to the same
--         combination iterations (is_nested), a person in an alone iteration is in at most widest_combination
--         combination iterations, so max(2, m) x widest_combination bounds both cases. Otherwise the bound is the plain
--         sum. It is computed from the code lists alone, never from records.
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

widest_codes as (
    -- one row per level
    select
        levels.level_id,
        coalesce(max(mapped_codes.iterations) filter (where mapped_codes.iteration_kind = 'alone'), 0)
            as widest_alone,
        coalesce(max(mapped_codes.iterations) filter (where mapped_codes.iteration_kind = 'combination'), 0)
            as widest_combination,
        coalesce(max(mapped_codes.iterations) filter (where mapped_codes.iteration_kind = 'ethnicity'), 0)
            as widest_ethnicity
    from levels
    left join mapped_codes on levels.level_id = mapped_codes.level_id
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
        widest_codes.widest_ethnicity,
        (
            widest_codes.widest_alone <= widest_codes.widest_combination
            and widest_codes.level_id not in (select split_alone_iterations.level_id from split_alone_iterations)
        ) as is_nested
    from widest_codes
)

select
    judged_levels.level_id,
    judged_levels.widest_alone,
    judged_levels.widest_combination,
    judged_levels.widest_ethnicity,
    judged_levels.is_nested,
    greatest(
        1,
        case
            when judged_levels.is_nested
                then judged_levels.widest_combination * greatest(2, $max_race_codes)
            else judged_levels.widest_alone + judged_levels.widest_combination * $max_race_codes
        end + judged_levels.widest_ethnicity
    ) as stability
from judged_levels
