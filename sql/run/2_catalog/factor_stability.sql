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
with mapped_codes as (
    -- one row per factor, code, and whether iterations are alone ones
    select
        level_codes.factor_id,
        iteration_kinds.is_alone,
        count(*) as iterations
    from level_codes
    inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind
    group by level_codes.factor_id, iteration_kinds.is_alone, level_codes.code
),

shared_combinations as (
    -- one row per factor and alone iteration: the combination iterations that hold a code of it
    select
        alone.factor_id,
        count(distinct combination.iteration_id) as combinations
    from level_codes as alone
    inner join level_codes as combination
        on alone.factor_id = combination.factor_id and alone.code = combination.code
    where
        alone.iteration_kind in (
            select iteration_kinds.iteration_kind
            from iteration_kinds
            where iteration_kinds.is_alone
        )
        and combination.iteration_kind in (
            select iteration_kinds.iteration_kind
            from iteration_kinds
            where not iteration_kinds.is_alone
        )
    group by alone.factor_id, alone.iteration_id
),

widest_factors as (
    -- one row per factor
    select
        level_factors.factor_id,
        level_factors.codes_read,
        coalesce(max(mapped_codes.iterations) filter (where mapped_codes.is_alone), 0) as alone,
        coalesce(max(mapped_codes.iterations) filter (where not mapped_codes.is_alone), 0) as combination,
        (
            select count(distinct level_codes.iteration_id)
            from level_codes
            inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind
            where level_codes.factor_id = level_factors.factor_id and not iteration_kinds.is_alone
        ) as combinations,
        (
            select coalesce(max(shared_combinations.combinations), 0)
            from shared_combinations
            where shared_combinations.factor_id = level_factors.factor_id
        ) as shared
    from level_factors
    left join mapped_codes on level_factors.factor_id = mapped_codes.factor_id
    group by level_factors.factor_id, level_factors.codes_read
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
