-- t2_census: the published sex-by-age tables with the columns of the production system.
--
-- zone    published
-- reads   t2  one row per population group with a sex-by-age table, sex and age bin, and one per group and sex
-- writes  one row per population group with a sex-by-age table, sex and age bin, and one per group and sex
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages
--           AGEEND          varchar  last age of the bin, years; * for all ages
--           SEX             varchar  1 male, 2 female
--           COUNT           bigint   persons, noisy; may be negative
-- source  tabulation.md section 7 (--format census)
select
    t2.REGION_ID,
    t2.REGION_TYPE,
    t2.ITERATION_CODE,
    t2.AGESTART,
    t2.AGEEND,
    t2.SEX,
    t2.COUNT
from t2
order by
    t2.REGION_TYPE,
    t2.REGION_ID,
    t2.ITERATION_CODE,
    try_cast(t2.AGESTART as integer) nulls first,
    t2.SEX
