-- published_rows: every row of both published tables, and the independent noisy counts (atoms) that it adds up.
--
-- zone    published
-- reads   t1  one row per population group with a published count
--         t2  one row per population group with a sex-by-age table, sex and age bin, and one per group and sex
-- writes  one row per row of t1 and of t2
--           TABLE           varchar  T1 or T2
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages; NULL in T1
--           AGEEND          varchar  last age of the bin, years; * for all ages; NULL in T1
--           SEX             varchar  1 male, 2 female; NULL in T1
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
--           is_atom         boolean  whether COUNT has noise of its own
--           first_atom      bigint   number of the first atom of COUNT: 0, 1, ...
--           atoms           bigint   how many atoms COUNT adds up; their numbers are consecutive
-- source  tabulation.md section 6.3; accounting.md section 4
-- why     A cell has noise of its own, and so has the total of a group without a table; every other count is a sum of
--         such counts. Atoms are numbered in the order of the rows, so that each sum is over consecutive numbers. In a
--         folder that `reconcile` made, COUNT is a double, and its atoms add up to the other counts but are not
--         independent.
with published_counts as (
    -- one row per row of t1 and of t2
    select
        'T1' as published_table,
        t1.REGION_TYPE as region_type,
        t1.REGION_ID as region_id,
        t1.ITERATION_CODE as iteration_code,
        null as age_start,
        null as age_end,
        null as sex,
        t1.COUNT as noisy_count,
        t1.VARIANCE as variance,
        t1.MOE95 as moe95
    from t1
    union all
    select
        'T2' as published_table,
        t2.REGION_TYPE as region_type,
        t2.REGION_ID as region_id,
        t2.ITERATION_CODE as iteration_code,
        t2.AGESTART as age_start,
        t2.AGEEND as age_end,
        t2.SEX as sex,
        t2.COUNT as noisy_count,
        t2.VARIANCE as variance,
        t2.MOE95 as moe95
    from t2
),

marked_counts as (
    select
        published_counts.published_table,
        published_counts.region_type,
        published_counts.region_id,
        published_counts.iteration_code,
        published_counts.age_start,
        published_counts.age_end,
        published_counts.sex,
        published_counts.noisy_count,
        published_counts.variance,
        published_counts.moe95,
        case
            when published_counts.published_table = 'T2' then published_counts.age_start <> '*'
            else count(published_counts.sex) over of_group = 0
        end as is_atom
    from published_counts
    window of_group as (
        partition by published_counts.region_type, published_counts.region_id, published_counts.iteration_code
    )
)

select
    marked_counts.published_table as "TABLE",
    marked_counts.region_id as REGION_ID,
    marked_counts.region_type as REGION_TYPE,
    marked_counts.iteration_code as ITERATION_CODE,
    marked_counts.age_start as AGESTART,
    marked_counts.age_end as AGEEND,
    marked_counts.sex as SEX,
    marked_counts.noisy_count as COUNT,
    marked_counts.variance as VARIANCE,
    marked_counts.moe95 as MOE95,
    marked_counts.is_atom,
    cast(coalesce(sum(cast(marked_counts.is_atom as integer)) over rows_before, 0) as bigint) as first_atom,
    cast(case
        when marked_counts.is_atom then 1
        when marked_counts.sex is null then sum(cast(marked_counts.is_atom as integer)) over of_group
        else sum(cast(marked_counts.is_atom as integer)) over of_sex
    end as bigint) as atoms
from marked_counts
window
    of_group as (partition by marked_counts.region_type, marked_counts.region_id, marked_counts.iteration_code),
    of_sex as (
        partition by
            marked_counts.region_type, marked_counts.region_id, marked_counts.iteration_code, marked_counts.sex
    ),
    rows_before as (
        order by
            marked_counts.region_type, marked_counts.region_id, marked_counts.iteration_code,
            marked_counts.sex nulls first, marked_counts.is_atom, marked_counts.age_start
        rows between unbounded preceding and 1 preceding
    )
order by first_atom asc, atoms desc
