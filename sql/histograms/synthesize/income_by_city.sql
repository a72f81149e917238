-- income_by_city: how unequal wages are in each city, and how much more men earn there than women.
--
-- zone    confidential
-- reads   income_rows  one row per exact row and synthetic row with a wage
-- writes  one row per table and city with a wage
--           is_exact  boolean  of the exact rows, or of the synthetic ones
--           city      integer  where the people live
--           gini      double   1 - 2 * the mean share of the wages that the people up to each one earn
--           pay_gap   double   mean wage of men minus that of women; nobody earns 0
-- source  histograms.md section 5.1
-- why     The formula of the challenge: 1 - 2 g, g the sum of the cumulated wages over people times wages. A city whose
--         wages are all 0 has a Gini index of 1, as there.
with cumulated_rows as (
    -- one row per exact row and synthetic row with a wage
    select
        income_rows.is_exact,
        income_rows.city,
        income_rows.sex,
        income_rows.wage,
        sum(income_rows.wage) over (
            partition by income_rows.is_exact, income_rows.city
            order by income_rows.wage rows between unbounded preceding and current row
        ) as cumulated
    from income_rows
)

select
    cumulated_rows.is_exact,
    cumulated_rows.city,
    1 - 2 * coalesce(
        cast(sum(cumulated_rows.cumulated) as double)
        / nullif(cast(count(*) as double) * cast(sum(cumulated_rows.wage) as double), 0),
        0
    ) as gini,
    coalesce(avg(cumulated_rows.wage) filter (where cumulated_rows.sex = 1), 0)
    - coalesce(avg(cumulated_rows.wage) filter (where cumulated_rows.sex = 2), 0) as pay_gap
from cumulated_rows
group by cumulated_rows.is_exact, cumulated_rows.city
