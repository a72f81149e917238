-- level_stability: how many population groups of each level one record can belong to, at the most.
--
-- zone    public
-- reads   level_factors     one row per population group level and question, and two more per crossing of the level
--         factor_stability  one row per factor of a level
-- writes  one row per population group level
--           level_id   integer  key of levels
--           is_exact   boolean  whether some answer leads to as many groups as the stability says
--           stability  bigint   s, no person is in more population groups; at least 1
-- source  tabulation.md sections 4.3 and 4.5; paper Algorithm 1, line 8
-- why     Answers to different questions are free of each other: somebody in the most iterations of one question can be
--         in the most of another. So numbers of iterations add up over questions, and the two numbers of crossed
--         questions multiply, exactly. A question that a level has by itself and in pairs may not reach both at once.
with terms as (
    -- one row per level, and question or crossing: of one factor, or of two
    select
        level_factors.level_id,
        min(factor_stability.stability)
        * case count(*) when 1 then 1 else max(factor_stability.stability) end as stability
    from level_factors
    inner join factor_stability on level_factors.factor_id = factor_stability.factor_id
    group by level_factors.level_id, level_factors.term_name
),

exact_levels as (
    -- one row per level
    select
        level_factors.level_id,
        bool_and(factor_stability.is_exact) and count(*) = count(distinct level_factors.question_name) as is_exact
    from level_factors
    inner join factor_stability on level_factors.factor_id = factor_stability.factor_id
    where factor_stability.stability > 0
    group by level_factors.level_id
)

select
    terms.level_id,
    coalesce(exact_levels.is_exact, true) as is_exact,
    cast(greatest(1, sum(terms.stability)) as bigint) as stability
from terms
left join exact_levels on terms.level_id = exact_levels.level_id
group by terms.level_id, exact_levels.is_exact
