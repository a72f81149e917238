-- quality_nation: iterations whose states do not add up to the nation.
--
-- zone    published
-- reads   t1  one row per population group with a published count
-- writes  one row per release
--           looked    bigint  iterations with a total in the nation and in every state
--           found     bigint  iterations where the states are further from the nation than noise brings them
--           expected  double  the most that noise makes on average, whatever the truth
-- source  evaluation.md section 6
-- why     Any noise is beyond sqrt(20) standard deviations with a chance of at most 1/20 (Chebyshev), so beyond
--         twice as many with at most 1/400: see quality_negatives.
with state_sums as (
    -- one row per iteration with a total in a state
    select
        t1.ITERATION_CODE as iteration_code,
        count(*) as states,
        sum(t1.COUNT) as count_of_states,
        sum(t1.VARIANCE) as variance
    from t1
    where t1.REGION_TYPE = 'STATE'
    group by t1.ITERATION_CODE
),

all_states as (
    -- one row
    select count(distinct t1.REGION_ID) as states
    from t1
    where t1.REGION_TYPE = 'STATE'
)

select
    count(*) as looked,
    count(*) filter (
        where abs(t1.COUNT - state_sums.count_of_states) > 2 * sqrt(20 * (t1.VARIANCE + state_sums.variance))
    ) as found,
    count(*) / 400e0 as expected
from t1
inner join state_sums on t1.ITERATION_CODE = state_sums.iteration_code
inner join all_states on state_sums.states = all_states.states
where t1.REGION_TYPE = 'USA'
