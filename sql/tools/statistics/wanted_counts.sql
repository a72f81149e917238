-- wanted_counts: the counts that wanted statistics are made of, added up.
--
-- zone    published
-- reads   asked_terms   one row per wanted statistic and count in it
--         wanted_cells  one row per wanted statistic, count in it and published cell that the count adds up
--         t1            one row per population group with a published count
-- writes  one row per wanted statistic and count in it that was published
--           statistic_number  bigint   key of the wanted statistics
--           is_other          boolean  the count that is divided by, or subtracted
--           region_type       varchar  USA, STATE, COUNTY, ...
--           noisy_count       bigint   persons
--           summed_counts     bigint   independent counts in it
--           variance          double   of the noise in one of them, persons squared
--           is_total          boolean  whether it is the total of a group without a table
--           is_whole          boolean  whether no bin is wanted in part
-- source  accuracy.md section 5
-- why     A group without a table has a total alone, which is all that can be wanted of it.
with summed_cells as (
    -- one row per wanted statistic and count in it that has cells
    select
        wanted_cells.statistic_number,
        wanted_cells.is_other,
        wanted_cells.region_type,
        cast(sum(wanted_cells.noisy_count) as bigint) as noisy_count,
        count(*) as summed_counts,
        max(wanted_cells.variance) as variance,
        bool_or(wanted_cells.is_first) and bool_or(wanted_cells.is_last) as is_whole
    from wanted_cells
    group by wanted_cells.statistic_number, wanted_cells.is_other, wanted_cells.region_type
)

select
    summed_cells.statistic_number,
    summed_cells.is_other,
    summed_cells.region_type,
    summed_cells.noisy_count,
    summed_cells.summed_counts,
    summed_cells.variance,
    false as is_total,
    summed_cells.is_whole
from summed_cells
union all
select
    asked_terms.statistic_number,
    asked_terms.is_other,
    asked_terms.region_type,
    t1.COUNT as noisy_count,
    cast(1 as bigint) as summed_counts,
    t1.VARIANCE as variance,
    true as is_total,
    asked_terms.sex is null and asked_terms.age_start is null and asked_terms.age_end is null as is_whole
from asked_terms
inner join t1
    on
        asked_terms.region_type = t1.REGION_TYPE
        and asked_terms.region_id = t1.REGION_ID
        and asked_terms.iteration_code = t1.ITERATION_CODE
anti join summed_cells
    on
        asked_terms.statistic_number = summed_cells.statistic_number
        and asked_terms.is_other = summed_cells.is_other
