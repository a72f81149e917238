-- wanted_reconciled: the reconciled counts that wanted statistics consist of.
--
-- zone    published
-- reads   asked_terms  one row per wanted statistic and count in it
--         t1           one row per population group with a published count
--         t2           one row per population group and cell of its table
-- writes  one row per wanted statistic and count in it
--           statistic_number  bigint   row of the wanted table, from 0
--           is_other          boolean  whether it is the count that the other is compared with
--           estimate          double   persons
--           deviation         double   at least the standard deviation of its error, persons
--           low95             double   lower end of its 95 % interval, where it is one published row; else NULL
--           high95            double   upper end of its 95 % interval, where it is one published row; else NULL
--           is_whole          boolean  whether the bins of the table are those that are wanted
-- source  accuracy.md section 5; reconciliation.md section 7
-- why     Reconciled counts share noise, in ways that the folder does not tell. The standard deviation of a sum is at
--         most the sum of theirs.
select
    asked_terms.statistic_number,
    asked_terms.is_other,
    cast(t1.COUNT as double) as estimate,
    sqrt(t1.VARIANCE) as deviation,
    cast(t1.LOW95 as double) as low95,
    cast(t1.HIGH95 as double) as high95,
    true as is_whole
from asked_terms
inner join t1
    on
        asked_terms.region_type = t1.REGION_TYPE
        and asked_terms.region_id = t1.REGION_ID
        and asked_terms.iteration_code = t1.ITERATION_CODE
where asked_terms.sex is null and asked_terms.age_start is null and asked_terms.age_end is null
union all
select
    asked_terms.statistic_number,
    asked_terms.is_other,
    cast(t2.COUNT as double) as estimate,
    sqrt(t2.VARIANCE) as deviation,
    cast(t2.LOW95 as double) as low95,
    cast(t2.HIGH95 as double) as high95,
    true as is_whole
from asked_terms
inner join t2
    on
        asked_terms.region_type = t2.REGION_TYPE
        and asked_terms.region_id = t2.REGION_ID
        and asked_terms.iteration_code = t2.ITERATION_CODE
        and asked_terms.sex = t2.SEX
        and t2.AGESTART = '*'
where asked_terms.age_start is null and asked_terms.age_end is null
union all
select
    asked_terms.statistic_number,
    asked_terms.is_other,
    cast(sum(t2.COUNT) as double) as estimate,
    sum(sqrt(t2.VARIANCE)) as deviation,
    cast(null as double) as low95,
    cast(null as double) as high95,
    bool_or(coalesce(try_cast(t2.AGESTART as smallint) = asked_terms.age_start, true))
    and bool_or(coalesce(try_cast(t2.AGEEND as smallint) = asked_terms.age_end, true)) as is_whole
from asked_terms
inner join t2
    on
        asked_terms.region_type = t2.REGION_TYPE
        and asked_terms.region_id = t2.REGION_ID
        and asked_terms.iteration_code = t2.ITERATION_CODE
        and coalesce(asked_terms.sex = t2.SEX, true)
        and coalesce(asked_terms.age_start <= try_cast(t2.AGEEND as smallint), true)
        and coalesce(asked_terms.age_end >= try_cast(t2.AGESTART as smallint), true)
where t2.AGESTART <> '*' and (asked_terms.age_start is not null or asked_terms.age_end is not null)
group by asked_terms.statistic_number, asked_terms.is_other
