-- level_stability: how many population groups of each level one record can belong to, at the most.
--
-- zone    public
-- reads   level_factors     one row per population group level and question
--         factor_stability  one row per factor of a level
-- writes  one row per population group level
--           level_id   integer  key of levels
--           is_exact   boolean  whether some answer leads to as many groups as the stability says
--           stability  bigint   s, no person is in more population groups; at least 1
-- source  tabulation.md section 4.3; paper Algorithm 1, line 8
-- why     Answers to different questions are free of each other: somebody in the most iterations of one question can be
--         in the most of another. So numbers of iterations add up over questions.
select
    level_factors.level_id,
    bool_and(factor_stability.is_exact or factor_stability.stability = 0) as is_exact,
    cast(greatest(1, sum(factor_stability.stability)) as bigint) as stability
from level_factors
inner join factor_stability on level_factors.factor_id = factor_stability.factor_id
group by level_factors.level_id
