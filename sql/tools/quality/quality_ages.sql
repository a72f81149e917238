-- quality_ages: groups with over 1.1 times as many people of age 20 as of age 21.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per release
--           looked    bigint  tables with both ages
--           found     bigint  tables with over 1.1 times as many people of age 20
--           expected  double  half of them, if no more people are of age 20
-- source  evaluation.md section 6
-- why     People round ages; tables have 20 and 21 alone. A tenth more is no heap: noise on top goes either way.
with single_ages as (
    -- one row per population group whose table has both ages
    select
        sum(t2.COUNT) filter (where t2.AGESTART = '20') as of_20,
        sum(t2.COUNT) filter (where t2.AGESTART = '21') as of_21
    from t2
    where t2.AGESTART = t2.AGEEND and t2.AGESTART in ('20', '21')
    group by t2.REGION_TYPE, t2.REGION_ID, t2.ITERATION_CODE
    having count(distinct t2.AGESTART) = 2
)

select
    count(*) as looked,
    count(*) filter (where 10 * single_ages.of_20 > 11 * single_ages.of_21) as found,
    count(*) / 2e0 as expected
from single_ages
