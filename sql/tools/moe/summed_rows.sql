-- summed_rows: the rows of the groups of a sum, and the independent noisy counts (atoms) that each row adds up.
--
-- zone    published
-- reads   published_rows  one row per row of t1 and of t2
--         asked_groups    one row per population group with a chosen row
-- writes  one row per row of t1 and of t2 of these groups
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
--         such counts. Atoms are numbered in the order of the rows, so that each sum is over consecutive numbers. Rows
--         of one group bind no other group, so the groups that are asked for suffice. In a folder that `reconcile`
--         made, COUNT is a double, and its atoms add up to the other counts but are not independent.
with marked_counts as (
    -- one row per row of t1 and of t2 of these groups
    select
        published_rows."TABLE",
        published_rows.REGION_ID,
        published_rows.REGION_TYPE,
        published_rows.ITERATION_CODE,
        published_rows.AGESTART,
        published_rows.AGEEND,
        published_rows.SEX,
        published_rows.COUNT,
        published_rows.VARIANCE,
        published_rows.MOE95,
        case
            when published_rows."TABLE" = 'T2' then published_rows.AGESTART <> '*'
            else count(published_rows.SEX) over of_group = 0
        end as is_atom
    from published_rows
    semi join asked_groups
        on
            published_rows.REGION_TYPE = asked_groups.REGION_TYPE
            and published_rows.REGION_ID = asked_groups.REGION_ID
            and published_rows.ITERATION_CODE = asked_groups.ITERATION_CODE
    window of_group as (
        partition by published_rows.REGION_TYPE, published_rows.REGION_ID, published_rows.ITERATION_CODE
    )
)

select
    marked_counts."TABLE",
    marked_counts.REGION_ID,
    marked_counts.REGION_TYPE,
    marked_counts.ITERATION_CODE,
    marked_counts.AGESTART,
    marked_counts.AGEEND,
    marked_counts.SEX,
    marked_counts.COUNT,
    marked_counts.VARIANCE,
    marked_counts.MOE95,
    marked_counts.is_atom,
    cast(coalesce(sum(cast(marked_counts.is_atom as integer)) over rows_before, 0) as bigint) as first_atom,
    cast(case
        when marked_counts.is_atom then 1
        when marked_counts.SEX is null then sum(cast(marked_counts.is_atom as integer)) over of_group
        else sum(cast(marked_counts.is_atom as integer)) over of_sex
    end as bigint) as atoms
from marked_counts
window
    of_group as (partition by marked_counts.REGION_TYPE, marked_counts.REGION_ID, marked_counts.ITERATION_CODE),
    of_sex as (
        partition by
            marked_counts.REGION_TYPE, marked_counts.REGION_ID, marked_counts.ITERATION_CODE, marked_counts.SEX
    ),
    rows_before as (
        order by
            marked_counts.REGION_TYPE, marked_counts.REGION_ID, marked_counts.ITERATION_CODE,
            marked_counts.SEX nulls first, marked_counts.is_atom, marked_counts.AGESTART
        rows between unbounded preceding and 1 preceding
    )
order by first_atom asc, atoms desc
