-- statistic_cells: the sex-by-age cells of each statistic, in the order they are measured.
--
-- zone    public
-- reads   age_bins  one row per stat level and age bin
-- writes  one row per stat level, sex and age bin
--           stat_level     tinyint  1 age4, 2 age9, 3 age23
--           cell_position  integer  0, 1, ... by sex, then age
--           sex            tinyint  1 male, 2 female
--           age_start      tinyint  first age of the bin, years
--           age_end        tinyint  last age of the bin, years
-- source  tabulation.md section 5
with sexes as (
    select unnest([1, 2]) as sex
)

select
    age_bins.stat_level,
    cast(
        row_number() over (partition by age_bins.stat_level order by sexes.sex, age_bins.age_start) - 1
        as integer
    ) as cell_position,
    cast(sexes.sex as tinyint) as sex,
    age_bins.age_start,
    age_bins.age_end
from age_bins
cross join sexes
