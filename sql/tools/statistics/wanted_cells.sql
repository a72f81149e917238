-- wanted_cells: the published cells that wanted counts add up.
--
-- zone    published
-- reads   asked_terms  one row per wanted statistic and count in it
--         t2           one row per population group and cell of its table, and one per group and published sum
-- writes  one row per wanted statistic, count in it and published cell that the count adds up
--           statistic_number  bigint    key of the wanted statistics
--           is_other          boolean   the count that is divided by, or subtracted
--           region_type       varchar   USA, STATE, COUNTY, ...
--           sex               varchar   1 male, 2 female
--           age_start         smallint  first age of the bin, years
--           age_end           smallint  last age of the bin, years
--           noisy_count       bigint    persons
--           variance          double    of the noise in the cell, persons squared
--           is_first          boolean   whether the bin holds the first age that is wanted, or none is named
--           is_last           boolean   whether the bin holds the last age that is wanted, or none is named
-- source  accuracy.md section 5
-- why     A bin that is wanted in part is here too, so that such a wish is noticed.
with cells as (
    -- one row per population group with a sex-by-age table, sex and age bin
    select
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        t2.SEX as sex,
        cast(t2.AGESTART as smallint) as age_start,
        cast(t2.AGEEND as smallint) as age_end,
        t2.COUNT as noisy_count,
        t2.VARIANCE as variance
    from t2
    where t2.AGESTART <> '*'
)

select
    asked_terms.statistic_number,
    asked_terms.is_other,
    cells.region_type,
    cells.sex,
    cells.age_start,
    cells.age_end,
    cells.noisy_count,
    cells.variance,
    coalesce(cells.age_start = asked_terms.age_start, true) as is_first,
    coalesce(cells.age_end = asked_terms.age_end, true) as is_last
from asked_terms
inner join cells
    on
        asked_terms.region_type = cells.region_type
        and asked_terms.region_id = cells.region_id
        and asked_terms.iteration_code = cells.iteration_code
        and coalesce(asked_terms.sex = cells.sex, true)
        and coalesce(asked_terms.age_start <= cells.age_end, true)
        and coalesce(asked_terms.age_end >= cells.age_start, true)
