-- finest_ages: the finest cell that each sex and single year of age falls in.
--
-- zone    public
-- reads   finest_cells  one row per sex and finest age bin
-- writes  one row per sex and year of age, 0 to 115
--           sex              utinyint  1 male, 2 female
--           age              utinyint  years
--           finest_position  utinyint  key of finest_cells
-- source  tabulation.md section 5
-- why     With this table people are joined to age bins on equal ages, not on a range of ages.
select
    finest_cells.sex,
    cast(unnest(range(finest_cells.age_start, finest_cells.age_end + 1)) as utinyint) as age,
    finest_cells.finest_position
from finest_cells
