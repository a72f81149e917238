-- factor_stability: how many iterations of a question one record can belong to at a level, at the most.
--
-- zone    public
-- reads   level_factors    one row per population group level and question, and two more per crossing of the level
--         level_codes      one row per factor of a level, iteration of its question and code of the iteration
--         iteration_kinds  one row per kind of iterations
--         level_answers    one row per overlapping factor with at most twelve kinds of codes
-- writes  one row per factor of a level
--           factor_id           integer  key of level_factors
--           widest_alone        bigint   most alone iterations that one code maps to
--           widest_combination  bigint   most other iterations that one code maps to
--           combinations        bigint   other iterations that hold a code
--           is_exact            boolean  whether some answer leads to as many iterations as the stability says
--           stability           bigint   no record is in more iterations; 0 where there are none
-- source  tabulation.md section 4.3
-- why     Somebody in no alone iteration is in at most as many combination iterations as there are, and in at most
--         widest_combination for each code. Whoever is in alone iterations has all codes in each of them: the same
--         holds of the combination iterations that share a code with such an alone iteration, and at most widest_alone
--         alone ones come to them. It is computed from the code lists alone, never from records. A question of one
--         column has one code, and no alone iterations: widest_combination is its stability.
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

held_combinations as (
    -- one row per factor with iterations that are not alone ones
    select
        known_codes.factor_id,
        count(distinct known_codes.iteration_id) as combinations
    from known_codes
    where not known_codes.is_alone
    group by known_codes.factor_id
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

widest_codes as (
    -- one row per factor with a code
    select
        mapped_codes.factor_id,
        max(mapped_codes.alone) as alone,
        max(mapped_codes.combination) as combination
    from mapped_codes
    group by mapped_codes.factor_id
),

widest_shares as (
    -- one row per factor with an alone iteration that shares a code
    select
        shared_combinations.factor_id,
        max(shared_combinations.combinations) as shared
    from shared_combinations
    group by shared_combinations.factor_id
),

widest_factors as (
    -- one row per factor
    select
        level_factors.factor_id,
        level_factors.codes_read,
        coalesce(widest_codes.alone, 0) as alone,
        coalesce(widest_codes.combination, 0) as combination,
        coalesce(held_combinations.combinations, 0) as combinations,
        coalesce(widest_shares.shared, 0) as shared
    from level_factors
    left join widest_codes on level_factors.factor_id = widest_codes.factor_id
    left join held_combinations on level_factors.factor_id = held_combinations.factor_id
    left join widest_shares on level_factors.factor_id = widest_shares.factor_id
)

select
    widest_factors.factor_id,
    widest_factors.alone as widest_alone,
    widest_factors.combination as widest_combination,
    widest_factors.combinations,
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
