-- reported_intervals: the totals whose 95 % interval is longer on one side, by region type.
--
-- zone    published
-- reads   t1  one row per population group with a published count; the table of a ladder where totals are rows of it
-- writes  one row per region type
--           region_type   varchar  USA, STATE, COUNTY, ...
--           totals        bigint   published totals
--           one_sided     bigint   totals whose interval is not COUNT minus and plus the same
--           least_count   bigint   the smallest of these, persons; NULL where there is none
--           least_low95   bigint   lower end of its interval, persons
--           least_high95  bigint   upper end of its interval, persons
--           most_count    bigint   the largest of these, persons; NULL where there is none
--           most_low95    bigint   lower end of its interval, persons
--           most_high95   bigint   upper end of its interval, persons
-- params  {{ columns_of_totals }}  columns of attributes where totals are rows of the table
-- source  accuracy.md sections 1 and 2
-- why     A total that barely passed the limit of publication did so with high noise, so the true one lies lower.
with sided_totals as (
    -- one row per population group with a published count
    select
        t1.REGION_TYPE as region_type,
        t1.COUNT as noisy_count,
        t1.LOW95 as low95,
        t1.HIGH95 as high95,
        t1.COUNT >= 0 and t1.HIGH95 - t1.COUNT <> t1.COUNT - t1.LOW95 as is_one_sided
    from t1
    where
        true
        {%- for column in columns_of_totals %}
        and t1.{{ column | quoted }} = {{ columns_of_totals[column] | literal }}
        {%- endfor %}
)

select
    sided_totals.region_type,
    count(*) as totals,
    count(*) filter (where sided_totals.is_one_sided) as one_sided,
    min(sided_totals.noisy_count) filter (where sided_totals.is_one_sided) as least_count,
    arg_min(sided_totals.low95, sided_totals.noisy_count) filter (where sided_totals.is_one_sided) as least_low95,
    arg_min(sided_totals.high95, sided_totals.noisy_count) filter (where sided_totals.is_one_sided) as least_high95,
    max(sided_totals.noisy_count) filter (where sided_totals.is_one_sided) as most_count,
    arg_max(sided_totals.low95, sided_totals.noisy_count) filter (where sided_totals.is_one_sided) as most_low95,
    arg_max(sided_totals.high95, sided_totals.noisy_count) filter (where sided_totals.is_one_sided) as most_high95
from sided_totals
group by sided_totals.region_type
order by sided_totals.region_type
