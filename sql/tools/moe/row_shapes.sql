-- row_shapes: the rows that a population group can have: a total, and the sexes and age bins of all tables.
--
-- zone    published
-- reads   t2  one row per population group and cell of its table, and one per group and published sum
-- writes  one row per table, sex and age bin
--           TABLE     varchar  T1 or T2
--           AGESTART  varchar  first age of the bin, years; * for all ages; NULL in T1
--           AGEEND    varchar  last age of the bin, years; * for all ages; NULL in T1
--           SEX       varchar  1 male, 2 female; NULL in T1
-- source  tabulation.md section 7
select distinct
    'T2' as "TABLE",
    t2.AGESTART,
    t2.AGEEND,
    t2.SEX
from t2
union all
select
    'T1' as "TABLE",
    null as AGESTART,
    null as AGEEND,
    null as SEX
