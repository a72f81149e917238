-- age_bins: the age bins of each sex-by-age statistic.
--
-- zone    public
-- writes  one row per stat level and age bin
--           stat_level  tinyint  1 age4, 2 age9, 3 age23
--           age_start   tinyint  first age of the bin, years
--           age_end     tinyint  last age of the bin, years
-- source  tabulation.md section 5 (age4, age9, age23); paper Algorithm 2, lines 20-31
with bin_starts as (
    -- one row per stat level and age bin
    select
        1 as stat_level,
        unnest([0, 18, 45, 65]) as age_start
    union all
    select
        2 as stat_level,
        unnest([0, 5, 18, 25, 35, 45, 55, 65, 75]) as age_start
    union all
    select
        3 as stat_level,
        unnest([0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85])
            as age_start
)

select
    cast(bin_starts.stat_level as tinyint) as stat_level,
    cast(bin_starts.age_start as tinyint) as age_start,
    cast(
        lead(bin_starts.age_start, 1, 116) over (
            partition by bin_starts.stat_level order by bin_starts.age_start
        ) - 1 as tinyint
    ) as age_end
from bin_starts
