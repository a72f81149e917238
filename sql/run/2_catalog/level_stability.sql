-- level_stability: how many population groups of each level one record can belong to, at the most.
--
-- zone    public
-- reads   levels         one row per population group level
--         level_codes    one row per population group level, iteration it tabulates and code of the iteration
--         level_answers  one row per overlapping level with at most twelve kinds of codes
-- writes  one row per population group level
--           level_id            integer  key of levels
--           widest_alone        bigint   most alone iterations that one code maps to
--           widest_combination  bigint   most alone-or-in-combination iterations that one code maps to
--           widest_single       bigint   most iterations of questions of one column that one answer to each maps to
--           combinations        bigint   alone-or-in-combination iterations that hold a code
--           is_exact            boolean  whether some answer leads to as many groups as the stability says
--           stability           bigint   s, no person is in more population groups; at least 1
-- params  $codes_read  integer  columns that are read of the question of several columns, 1 to 8
-- source  tabulation.md section 4.3; paper Algorithm 1, line 8
-- why     Somebody in no alone iteration is in at most as many combination iterations as there are, and in at most
--         widest_combination for each code. Whoever is in alone iterations has all codes in each of them: the same
--         holds of the combination iterations that share a code with such an alone iteration, and at most widest_alone
--         alone ones come to them. It is computed from the code lists alone, never from records.
with mapped_codes as (
    -- one row per level, kind and code
    select
        level_codes.level_id,
        level_codes.iteration_kind,
        count(*) as iterations
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

shared_combinations as (
    -- one row per level and alone iteration: the combination iterations that hold a code of it
    select
        alone.level_id,
        count(distinct combination.iteration_id) as combinations
    from level_codes as alone
    left join level_codes as combination
        on
            alone.level_id = combination.level_id
            and alone.code = combination.code
            and combination.iteration_kind = 'combination'
    where alone.iteration_kind = 'alone'
    group by alone.level_id, alone.iteration_id
),

widest_levels as (
    -- one row per level
    select
        levels.level_id,
        coalesce(sum(widest_kinds.iterations) filter (where widest_kinds.iteration_kind = 'alone'), 0) as alone,
        coalesce(sum(widest_kinds.iterations) filter (where widest_kinds.iteration_kind = 'combination'), 0)
            as combination,
        coalesce(
            sum(widest_kinds.iterations) filter (where widest_kinds.iteration_kind not in ('alone', 'combination')), 0
        ) as single,
        (
            select count(distinct level_codes.iteration_id)
            from level_codes
            where level_codes.level_id = levels.level_id and level_codes.iteration_kind = 'combination'
        ) as combinations,
        (
            select coalesce(max(shared_combinations.combinations), 0)
            from shared_combinations
            where shared_combinations.level_id = levels.level_id
        ) as shared
    from levels
    left join widest_kinds on levels.level_id = widest_kinds.level_id
    group by levels.level_id
)

select
    widest_levels.level_id,
    cast(widest_levels.alone as bigint) as widest_alone,
    cast(widest_levels.combination as bigint) as widest_combination,
    cast(widest_levels.single as bigint) as widest_single,
    widest_levels.combinations,
    level_answers.level_id is not null or greatest(widest_levels.alone, widest_levels.combination) <= 1 as is_exact,
    cast(
        greatest(1, widest_levels.single + coalesce(level_answers.most_iterations, greatest(
            least(widest_levels.combinations, widest_levels.combination * $codes_read),
            widest_levels.alone + least(widest_levels.shared, widest_levels.combination * $codes_read)
        ))) as bigint
    ) as stability
from widest_levels
left join level_answers on widest_levels.level_id = level_answers.level_id
