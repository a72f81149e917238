-- factor_stability: how many iterations of a question one record can belong to at a level, at the most.
--
-- zone    public
-- reads   level_factors    one row per population group level and question
--         level_codes      one row per factor of a level, iteration of its question and code of the iteration
--         iteration_kinds  one row per kind of iterations
--         level_answers    one row per overlapping factor with at most twelve kinds of codes
-- writes  one row per factor of a level
--           factor_id  integer  key of level_factors
--           is_exact   boolean  whether some answer leads to as many iterations as the stability says
--           stability  bigint   no record is in more iterations; 0 where there are none
-- source  tabulation.md section 4.3
-- why     Somebody in no alone iteration is in at most as many combination iterations as there are, and in at most
--         `combination`, the most that one code maps to, for each code. Whoever is in alone iterations has all codes in
--         each of them: the same holds of the combination iterations that share a code with such an alone iteration,
--         and at most `alone` alone ones come to them. It is computed from the code lists alone, never from records. A
--         question of one column has one code, and no alone iterations: `combination` is its stability.
with known_codes as materialized (
    -- one row per factor, iteration and code of it
    select
        level_codes.factor_id,
        level_codes.iteration_id,
        level_codes.code,
        iteration_kinds.is_alone
    from level_codes
    inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind
),

mapped_codes as (
    -- one row per factor and code
    select
        known_codes.factor_id,
        count(*) filter (where known_codes.is_alone) as alone,
        count(*) filter (where not known_codes.is_alone) as combination
    from known_codes
    group by known_codes.factor_id, known_codes.code
),

shared_combinations as (
    -- one row per factor and alone iteration: the combination iterations that hold a code of it
    select
        alone.factor_id,
        count(distinct combination.iteration_id) as combinations
    from known_codes as alone
    inner join known_codes as combination
        on alone.factor_id = combination.factor_id and alone.code = combination.code
    where alone.is_alone and not combination.is_alone
    group by alone.factor_id, alone.iteration_id
),

widest_factors as (
    -- one row per factor
    select
        level_factors.factor_id,
        level_factors.codes_read,
        (
            select coalesce(max(mapped_codes.alone), 0)
            from mapped_codes
            where mapped_codes.factor_id = level_factors.factor_id
        ) as alone,
        (
            select coalesce(max(mapped_codes.combination), 0)
            from mapped_codes
            where mapped_codes.factor_id = level_factors.factor_id
        ) as combination,
        (
            select count(distinct known_codes.iteration_id)
            from known_codes
            where known_codes.factor_id = level_factors.factor_id and not known_codes.is_alone
        ) as combinations,
        (
            select coalesce(max(shared_combinations.combinations), 0)
            from shared_combinations
            where shared_combinations.factor_id = level_factors.factor_id
        ) as shared
    from level_factors
)

select
    widest_factors.factor_id,
    (
        level_answers.factor_id is not null
        or (widest_factors.codes_read = 1 and widest_factors.alone = 0)
        or greatest(widest_factors.alone, widest_factors.combination) <= 1
    ) as is_exact,
    coalesce(
        level_answers.most_iterations,
        greatest(
            least(widest_factors.combinations, widest_factors.combination * widest_factors.codes_read),
            widest_factors.alone
            + least(widest_factors.shared, widest_factors.combination * widest_factors.codes_read)
        )
    ) as stability
from widest_factors
left join level_answers on widest_factors.factor_id = level_answers.factor_id
