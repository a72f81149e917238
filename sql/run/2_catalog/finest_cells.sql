-- finest_cells: the sex-by-age cells that no statistic splits.
--
-- zone    public
-- reads   age_bins  one row per stat level and age bin
-- writes  one row per sex and finest age bin
--           finest_position  utinyint  0, 1, ... by sex, then age
--           sex              utinyint  1 male, 2 female
--           age_start        utinyint  first age of the bin, years
--           age_end          utinyint  last age of the bin, years
-- source  tabulation.md section 5
-- why     Every cell of every statistic is a sum of these cells, so a person's sex and age can be stored as one small
--         number (46 values instead of 232) before people are counted.
with bin_starts as (
    -- one row per finest age bin
    select distinct age_bins.age_start
    from age_bins
),

finest_bins as (
    -- one row per finest age bin
    select
        bin_starts.age_start,
        lead(bin_starts.age_start, 1, 116) over (order by bin_starts.age_start) - 1 as age_end
    from bin_starts
),

sexes as (
    select unnest([1, 2]) as sex
)

select
    cast(row_number() over (order by sexes.sex, finest_bins.age_start) - 1 as utinyint) as finest_position,
    cast(sexes.sex as utinyint) as sex,
    cast(finest_bins.age_start as utinyint) as age_start,
    cast(finest_bins.age_end as utinyint) as age_end
from finest_bins
cross join sexes
